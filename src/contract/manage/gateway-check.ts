// The management API's schemas for the set-up of a gateway at its provider.

import { z } from "zod";
import { reply } from "#contract/envelope.ts";

const word = z.string().nullable();

const finding = z
  .object({
    what: z
      .string()
      .describe("What was checked: `network`, `access`, `number`, `name`, `sending` or `callbacks`."),
    state: z
      .enum(["ok", "warning", "error", "unknown"])
      .describe(
        "`error`: messages cannot be sent, or reports do not come. `unknown`: the provider did not say.",
      ),
    detail: z.string(),
  })
  .meta({ id: "GatewayFinding" });

export const gatewayCheckReply = reply(
  "GatewayCheckReply",
  z.object({
    number: word,
    name: word,
    quality: z.enum(["high", "medium", "low"]).nullable(),
    limit: word,
    throughput: word,
    findings: z.array(finding),
  }),
);

export const registerGatewayRequest = z
  .strictObject({
    pin: z
      .string()
      .regex(/^\d{6}$/)
      .describe("Six digits: the number's two-step PIN, either its existing one or the one to set."),
  })
  .meta({ id: "RegisterGatewayRequest" });

export const registerGatewayReply = reply(
  "GatewayRegisteredReply",
  z.object({ registered: z.literal(true) }),
);
