// The bridge as Trunkline starts it: every signature of WhatsApp is verified.

import "./quiet.ts";
import { runBridge } from "./bridge.ts";

runBridge({ verification: "strict" });
