// The bridge as Trunkline starts it: every signature of WhatsApp's is checked.

import "./quiet.ts";
import { runBridge } from "./bridge.ts";

runBridge({ verification: "strict" });
