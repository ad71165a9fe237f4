// Settings fields that the gateways of HTTP APIs share.

import { z } from "zod";

export const timeoutField = z
  .int()
  .min(1000)
  .max(120_000)
  .default(30_000)
  .describe("How long one request may take, from the start of the connection to the end of the answer, ms.");
