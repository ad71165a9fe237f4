// The management API's schemas for an account's overview: what needs a person, and what exists.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";
import { creditBalances } from "./accounts.ts";

export const attentionKinds = [
  "gateway_paused",
  "gateway_stopped",
  "gateway_deferring",
  "link_lost",
  "not_linked",
  "backlog",
  "unknown_messages",
  "failures",
  "webhook_failing",
  "webhook_disabled",
  "credit_low",
  "plan_ending",
  "member_down",
  "domain_unverified",
  "held",
  "no_public_url",
  "alerts_blocked",
] as const;

export const severities = ["error", "warning", "doubt"] as const;

const attention = z
  .object({
    kind: z
      .enum(attentionKinds)
      .describe(
        "`gateway_deferring`: all that an active gateway attempts is deferred, for five minutes or more; `reason` is its last failure. `backlog`: messages are five minutes late on a gateway that is not paused. `not_linked`: no device is linked to an active gateway that needs one; `link_lost`: the link that there was has ended. `failures`: messages that were accepted in the last 24 hours, from the beginning of the hour (UTC) in which those begin, and are failed, undelivered, bounced or expired. `unknown_messages` and `failures` leave out messages of sandbox gateways once there is an active gateway of another kind. `domain_unverified`: no key of the domain signs. `held`: messages of a restored backup wait. `no_public_url`: a gateway takes reports, and the installation has no public address for them. `alerts_blocked`: a hook has something to report, and no gateway can send it.",
      ),
    severity: z
      .enum(severities)
      .describe(
        "`error`: something does not go out. `doubt`: the outcome of messages is unknown. `warning`: else.",
      ),
    subject: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .describe("The subject; a gateway by its identifier. Null for the account."),
    since: instant.nullable(),
    until: instant.nullable().describe("When something happens automatically: a probe, an end."),
    reason: z.string().nullable().describe("In the words of its source, such as the provider."),
    count: z.object({ n: z.int(), more: z.boolean().describe("Whether counting stopped there.") }).nullable(),
    href: z.string().describe("The path of the API with the details."),
  })
  .meta({ id: "Attention" });
export type AttentionData = z.output<typeof attention>;

export const overviewReply = reply(
  "OverviewReply",
  z
    .object({
      attention: z.array(attention).describe("What needs a person, most severe first. Empty if all is well."),
      credit: creditBalances,
      plan: z.object({ name: z.string(), expires_at: instant.nullable() }),
      first_steps: z.object({
        accepted: z.boolean().describe("Whether a message was accepted."),
        delivered: z.boolean().describe("Whether a message was delivered."),
        real_gateway: z.boolean().describe("Whether there is an active gateway other than a sandbox."),
        webhook: z.boolean().describe("Whether there is an active webhook endpoint."),
        completion: z.boolean().describe("Whether a pool was called."),
      }),
    })
    .meta({ id: "Overview" }),
);
