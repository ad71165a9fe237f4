// The worker thread that renders the documentation: about a second of CPU, which would hold up every other request.

import { serveWorker } from "#runtime/worker-thread.ts";
import { siteFiles } from "./site.ts";

serveWorker(siteFiles);
