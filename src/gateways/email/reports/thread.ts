// The worker thread that reads returned mails, so that the event loop never waits for one.

import { serveWorker } from "#runtime/worker-thread.ts";
import { readReport } from "./delivery-report.ts";

serveWorker(readReport);
