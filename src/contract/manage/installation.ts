// The management API's replies about the installation as a whole.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";

const counts = {
  messages: z.int().describe("Messages that were waiting."),
  deliveries: z.int().describe("Webhook deliveries that still had tries left."),
  events: z.int().describe("Events that had not been distributed to webhook endpoints."),
};

/** What is held since the installation was restored. */
export const hold = z
  .object({ at: instant.describe("When the backup was made or the hold began."), ...counts })
  .meta({ id: "RestoreHold" });

export const installationReply = reply(
  "InstallationReply",
  z.object({
    version: z.string().meta({ examples: ["0.1.0"] }),
    engine: z.enum(["sqlite", "postgres"]).describe("The database engine."),
    held: hold
      .nullable()
      .describe(
        "After a restore: what was pending in the backup and waits for an operator to release or cancel it. Null: nothing is held.",
      ),
  }),
);

/** How much was released or cancelled. */
export const holdEndedReply = reply("HoldEndedReply", z.object(counts));
