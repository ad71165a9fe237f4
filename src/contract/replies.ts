// The replies of the channel endpoints and the error replies. The OpenAPI document and the types of the handlers are
// made from them, and tests parse every reply with them.

import { z } from "zod";
import { channels } from "#contract/messages/channel.ts";
import { messageRecord } from "#contract/messages/record.ts";
import { instant, page, reply } from "./envelope.ts";
import { type ProblemCode, problems } from "./problem.ts";

/** The reply to an accepted send, with what it contains about each contact besides the status. */
function accepted<Recipient extends z.ZodRawShape>(id: string, recipient: Recipient, example: string) {
  const contact = z
    .object({
      ...recipient,
      status: z.enum(["queued", "scheduled"]),
      id: z.string().describe("The message's id, for lookups."),
    })
    .meta({ id: `${id}Contact` });
  return z
    .object({
      success: z.literal(true),
      message: z.string().meta({ examples: [example] }),
      data: z.object({
        request_id: z.string().describe("The id of this request. `X-Request-Id` carries it too."),
        contact: z.array(contact).describe("One entry per contact of the request, in the same order."),
        ignored: z
          .array(z.string())
          .optional()
          .describe(
            "A sentence for each unknown field of the request that was ignored, at most 64, those with a likely effect first.",
          )
          .meta({ examples: [["send_at is no field of a contact; the field is called schedule_at."]] }),
      }),
    })
    .meta({ id: `${id}Reply` });
}

/** An accepted SMS send. */
export const sendReply = accepted(
  "SmsSend",
  { number: z.string().describe("The number as the request has it.") },
  "SMS messages have been queued.",
);

/** An accepted WhatsApp send. */
export const whatsappSendReply = accepted(
  "WhatsappSend",
  { number: z.string().describe("The number as the request has it.") },
  "WhatsApp messages have been queued.",
);

/** An accepted email send. */
export const emailSendReply = accepted(
  "EmailSend",
  { email: z.string().describe("The address as the request has it.") },
  "Email messages have been queued.",
);

/** The record of one message, as a reply. */
export const recordReply = reply("MessageReply", messageRecord);

/** A page of messages, newest first. */
export const messagesReply = page("MessagePage", messageRecord);

const credit = z
  .object({ allowance: z.number(), remaining: z.number() })
  .meta({ id: "CreditBalance" })
  .nullable();

/** The account of the key. */
export const currentAccountReply = reply(
  "CurrentAccountReply",
  z.object({
    name: z.string(),
    time_zone: z.string().meta({ examples: ["Europe/Berlin"] }),
    country: z.string().nullable().describe("The default country of phone numbers."),
    plan: z.object({ name: z.string(), expires_at: instant.nullable() }),
    credit: z
      .object(
        Object.fromEntries(channels.map((channel) => [channel, credit])) as Record<
          (typeof channels)[number],
          typeof credit
        >,
      )
      .describe("The credit of each channel; null if the plan sets no allowance."),
  }),
);

/** The body of a 204. */
export const noContent = z.literal("");

/** The reply to a deletion. */
export const deleted = { status: 204, body: "" } as const;

/** A request that fails validation: the dotted path of each field to its messages. */
export const validationReply = z
  .object({
    success: z.literal(false),
    message: z.string(),
    code: z
      .literal("idempotency_mismatch")
      .optional()
      .describe("Only set when the `Idempotency-Key` was used for a different request."),
    errors: z
      .record(z.string(), z.array(z.string()))
      .meta({ examples: [{ "contact.0.number": ["The contact.0.number field is required."] }] }),
  })
  .meta({ id: "ValidationError" });

const problemCode = z
  .enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]])
  .meta({ id: "ProblemCode" });

/** An error without a list of fields. */
export const problemReply = z
  .object({ success: z.literal(false), message: z.string(), code: problemCode })
  .meta({ id: "Problem" });

/** A refused key of a channel endpoint. */
export const refusalReply = z
  .object({
    status: z.literal("error"),
    message: z.string().optional().describe("Only set when the key is missing."),
    error: z.enum([
      "Invalid Api Key",
      "Your Subscription Is Expired! Buy A New Plan",
      "Not Allowed For This Api Key",
    ]),
  })
  .meta({ id: "ApiKeyError" });

/** The process is running. */
export const liveReply = z
  .object({ status: z.literal("live"), version: z.string().meta({ examples: ["0.1.0"] }) })
  .meta({ id: "Liveness" });

const checks = z.record(z.string(), z.string()).describe("The result of each check by its name.");

/** Requests can be served. */
export const readyReply = z.object({ status: z.literal("ready"), checks }).meta({ id: "Readiness" });

/** Requests cannot be served. */
export const notReadyReply = z.object({ status: z.literal("not_ready"), checks }).meta({ id: "NotReady" });
