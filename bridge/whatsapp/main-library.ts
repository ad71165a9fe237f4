// The bridge with `verification: library`: signatures are checked as far as the library does.

import "./quiet.ts";
import { runBridge } from "./bridge.ts";

runBridge({ verification: "library" });
