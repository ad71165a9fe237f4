// A thread that no mail survives.

import { serve } from "#runtime/worker-thread.ts";

serve(() => process.exit(1));
