// Every endpoint that exists: the router and OpenAPI both read this list.

import type { Endpoint } from "./endpoint.ts";
import { account } from "./routes/account.ts";
import { cancel } from "./routes/cancel.ts";
import { callbackByGet, callbackByPost } from "./routes/gateway-callback.ts";
import { live, ready } from "./routes/health.ts";
import { lookupOne, lookupRecent } from "./routes/lookup.ts";
import { metrics } from "./routes/metrics.ts";
import { sendSms } from "./routes/send-sms.ts";

export const endpoints: readonly Endpoint[] = [
  sendSms,
  lookupRecent,
  lookupOne,
  cancel,
  account,
  callbackByPost,
  callbackByGet,
  live,
  ready,
  metrics,
];
