// Linked devices keep what every session has to keep: over the real protocol to a real process, which stands for the bridge.

import { sessionConformance } from "../../sessions/session-conformance.ts";
import { openStubPeer, stubbedLinked } from "./stubbed.ts";

sessionConformance(stubbedLinked, () => openStubPeer());
