// The thread that reads returned mails: whatever they consist of, the event loop does not wait for them.

import { serveWorker } from "#runtime/worker-thread.ts";
import { readReport } from "./delivery-report.ts";

serveWorker(readReport);
