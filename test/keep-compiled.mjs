// Loaded before a service that a test starts: writes its compiled code whenever it listens, because Node writes it at a
// clean end, and tests kill. The first start takes 125 ms of CPU for that, each later one 3 ms. Plain JavaScript, because
// stripping this file would load the stripper.
import { subscribe } from "node:diagnostics_channel";
import { flushCompileCache } from "node:module";

subscribe("tracing:net.server.listen:asyncEnd", () => setImmediate(flushCompileCache));
