// The two forms of a session: a socket of this process, and a process of its own.

import { lineProcess, lineSocket } from "./line-gateway.ts";
import { openLinePeer } from "./line-peer.ts";
import { sessionConformance } from "./session-conformance.ts";

sessionConformance(lineSocket, openLinePeer);
sessionConformance(lineProcess, openLinePeer);
