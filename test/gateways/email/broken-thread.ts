// A thread that no mail survives.

import { serve } from "#runtime/side-thread.ts";

serve(() => process.exit(1));
