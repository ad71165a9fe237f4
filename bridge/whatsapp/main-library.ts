// The bridge with `verification: library`: signatures are verified only as far as the library does.

import "./quiet.ts";
import { runBridge } from "./bridge.ts";

runBridge({ verification: "library" });
