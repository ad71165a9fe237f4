// The replies of the management API about the installation as a whole.

import { z } from "zod";

const counts = {
  messages: z.number().int().describe("Messages that were waiting."),
  deliveries: z.number().int().describe("Webhook deliveries that were to be tried."),
  events: z.number().int().describe("Events that had not been handed to the webhook endpoints."),
};

/** What is held since the installation was restored. */
export const hold = z.object({
  at: z.iso.datetime({ precision: 3 }).describe("When the copy was made, or the hold was put."),
  ...counts,
});

/** The installation. */
export const installationReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object({
    version: z.string().meta({ examples: ["0.1.0"] }),
    engine: z.enum(["sqlite", "postgres"]),
    held: hold
      .nullable()
      .describe(
        "After a restore: what was pending in the copy and waits for release or cancel-held. Null: nothing is held.",
      ),
  }),
});

/** How much was released or cancelled. */
export const holdEndedReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.object(counts),
});
