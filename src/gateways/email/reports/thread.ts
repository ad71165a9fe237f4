// The thread that reads returned mails: whatever they consist of, the event loop does not wait for them.

import { serve } from "#runtime/worker-thread.ts";
import { readReport } from "./delivery-report.ts";

serve(readReport);
