// A thread that no mail survives.

import { serveWorker } from "#runtime/worker-thread.ts";

serveWorker(() => process.exit(1));
