// The management API's replies about the installation as a whole.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";

const counts = {
  messages: z.int().describe("Messages that were waiting."),
  deliveries: z.int().describe("Webhook deliveries that still had attempts left."),
  events: z.int().describe("Events that had not been distributed to webhook endpoints."),
};

/** What has been held since the installation was restored. */
export const hold = z
  .object({
    at: instant.describe("When the backup was made or the hold began."),
    ...counts,
  })
  .meta({ id: "RestoreHold" });

/** Null to keep them forever. */
const days = z.number().nullable();

const process = z
  .object({
    id: z.string(),
    started_at: instant,
    heartbeat_at: instant
      .nullable()
      .describe(
        "When the answering process last saw a new heartbeat of this one; null if it has not seen one yet.",
      ),
    lanes: z.int().describe("The lanes that it owns: gateways, webhooks, and the installation's own work."),
  })
  .meta({ id: "InstallationProcess" });

/** What every page of the dashboard requests repeatedly: nothing in it is counted or measured. */
export const installationReply = reply(
  "InstallationReply",
  z.object({
    version: z.string().meta({ examples: ["0.1.0"] }),
    node: z
      .object({
        version: z.string().meta({ examples: ["26.10.0"] }),
        outdated: z
          .string()
          .nullable()
          .describe(
            "Why Node should be updated, as a sentence. Null if this version of Trunkline knew no newer one.",
          ),
      })
      .describe("The Node version of the answering process."),
    engine: z.enum(["sqlite", "postgres"]).describe("The database engine."),
    public_url: z
      .string()
      .nullable()
      .describe("`TRUNKLINE_PUBLIC_URL`: where providers and recipients reach the installation."),
    process: z.string().describe("The id of the answering process."),
    started_at: instant.describe("When the answering process started."),
    held: hold
      .nullable()
      .describe(
        "After a restore: what was pending in the backup and waits for an operator to release or cancel it. Null if nothing is held.",
      ),
  }),
);

export const installationDetailsReply = reply(
  "InstallationDetailsReply",
  z.object({
    commands: z
      .object({
        backup: z.string().meta({ examples: ["trunkline backup"] }),
        restore: z.string().meta({ examples: ["trunkline restore"] }),
        hold: z.string().meta({ examples: ["trunkline hold"] }),
      })
      .describe("Commands in the form that works where the answering process is installed."),
    size_bytes: z.int().describe("The size of the database."),
    outbound_allow: z
      .array(z.string())
      .describe("CIDR blocks that outbound requests may reach although they are not public."),
    retention: z
      .object({
        messages_days: days.describe("Messages are removed after this many days; null for never."),
        webhooks_days: days.describe("Webhook events are removed after this many days; null for never."),
        audit_days: days.describe(
          "Entries of the audit log are removed after this many days; null for never.",
        ),
        usage_days: days.describe("AI calls are removed after this many days; null for never."),
        deferred_days: days.describe(
          "Deferred completions are removed after this many days; null for never.",
        ),
      })
      .meta({ id: "Retention" }),
    metrics: z
      .enum(["token", "loopback"])
      .describe(
        "Who may read `/metrics`: holders of the configured token, or callers on the machine itself.",
      ),
    show_api_keys: z
      .boolean()
      .describe(
        "Whether a sealed copy of new API keys is kept, so that a signed-in person can see them again.",
      ),
    processes: z.array(process).describe("The processes of the installation, oldest first."),
    held_accounts: z
      .array(
        z.object({ account: z.string(), name: z.string(), messages: z.int() }).meta({ id: "HeldOfAccount" }),
      )
      .describe("How many messages each account has among the first 10,000 held ones, most first."),
  }),
);

/** How much was released or cancelled. */
export const holdEndedReply = reply("HoldEndedReply", z.object(counts));

// The provisioning file, which the command line alone sets and gets.

const file = z.record(z.string(), z.unknown());

export const setProvisioningFileRequest = z
  .strictObject({
    file: file.describe("The content of the file, in which variables have their values."),
    check: z.boolean().default(false).describe("Whether only to say what would change."),
  })
  .meta({ id: "SetProvisioningFileRequest" });

export const provisioningReply = reply(
  "ProvisioningReply",
  z.object({
    changes: z
      .array(z.string())
      .describe("A line for each entry that is new or changed, with the names of the fields."),
    made: z
      .array(z.object({ what: z.string(), secret: z.string() }).meta({ id: "GeneratedSecret" }))
      .describe("Keys and secrets that were generated because the file does not contain them."),
  }),
);

export const provisioningFileReply = reply(
  "ProvisioningFileReply",
  z.object({
    file: file.describe("The content of a provisioning file, with a variable for each secret."),
    variables: z.array(z.string()).describe("The names of the variables."),
    left_out: z.array(z.string()).describe("What the file does not contain, and why."),
  }),
);
