// The management API's schemas for consent: the suppression list and the messages from people.

import { z } from "zod";
import { cursorNote, instant, limit, page, reply } from "#contract/envelope.ts";
import { channelWord } from "#contract/messages/channel-word.ts";
import { freeText } from "#contract/name.ts";

const text = (max: number) => freeText(0, max);
const paging = { limit, cursor: z.string().max(1024).optional().describe(cursorNote) };

export const suppressionReason = z.enum(["opt_out", "manual", "bounce", "complaint", "unsubscribe"]);

/** One entry of the suppression list. */
const suppressionRecord = z
  .object({
    channel: channelWord,
    recipient: z
      .string()
      .describe(
        "The recipient as message records show it: E.164, a short code, or an address in lower case.",
      ),
    reason: suppressionReason.describe(
      "Why the recipient is on the list. An opt-in word removes only an `opt_out`.",
    ),
    note: z.string().nullable(),
    created_at: instant.describe("When the recipient was put on the list (ISO 8601, UTC)."),
  })
  .meta({ id: "Suppression" });
export type SuppressionRecord = z.output<typeof suppressionRecord>;

/** A page of the suppression list, in the order of channel and recipient. */
export const suppressionsReply = page("SuppressionPage", suppressionRecord);

export const suppressionsQuery = z.strictObject({
  channel: channelWord.optional().describe("Only entries of this channel."),
  recipient: text(320)
    .optional()
    .describe("Only the entry of this recipient, in any spelling that a send accepts."),
  ...paging,
});

export const createSuppressionsRequest = z
  .strictObject({
    channel: channelWord,
    recipients: z
      .array(text(320))
      .min(1)
      .max(1000)
      .describe(
        "Phone numbers or email addresses, in any spelling that a send accepts. Either all are added or none.",
      ),
    note: text(500).nullish().describe("A note for those who read the list later."),
  })
  .meta({ id: "CreateSuppressionsRequest" });

export const createdSuppressionsReply = reply(
  "CreatedSuppressionsReply",
  z.object({
    added: z.int().describe("How many recipients were not on the list before."),
    recipients: z
      .array(z.string())
      .describe("All recipients of the request, as the list shows them, each once."),
  }),
);

const suppressedAt = z.iso.datetime({
  offset: true,
  error: "is not an instant such as 2026-11-28T00:00:00Z",
});

export const releaseSuppressionsRequest = z
  .strictObject({
    channel: channelWord,
    reason: suppressionReason,
    from: suppressedAt.describe("Only entries made at this time or later."),
    to: suppressedAt.describe("Only entries made before this time."),
    note: freeText(1, 200)
      .nullish()
      .describe("Only entries whose note contains these words, such as `Sender verify failed`."),
  })
  .meta({ id: "ReleaseSuppressionsRequest" });

export const releasedSuppressionsReply = reply(
  "ReleasedSuppressionsReply",
  z.object({ removed: z.int().describe("How many entries were removed from the list.") }),
);

export const accountReceivedQuery = z.strictObject({
  channel: channelWord.optional().describe("Only messages of this channel."),
  from: text(320)
    .optional()
    .describe("Only messages from this phone number, address or WhatsApp id, in any spelling."),
  gateway: z
    .string()
    .max(100)
    .optional()
    .describe("Only messages that the gateway with this identifier received."),
  ...paging,
});
