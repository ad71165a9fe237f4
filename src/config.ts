// Every environment variable with its format, default and purpose. The only reader of `process.env`; generates the reference page.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { smtpVariables } from "#settings/smtp-variables.ts";
import { text, wholeNumber } from "#settings/variable.ts";

const days = wholeNumber(1, 36_500);

const postgresUrl = (purpose: string, example: string) =>
  z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres://")
    .optional()
    .meta(text(purpose, example, "URL, `postgres://…`"));

const afterDays = (purpose: string, example: string) => text(purpose, example, "whole number, 1 to 36500");

/** The schema behind the reference page. Keys are the variables' names without `TRUNKLINE_`. */
export const variables = {
  HOST: z.string().default("127.0.0.1").meta(text("Address to listen on.", "0.0.0.0")),
  PORT: wholeNumber(0, 65535)
    .prefault("8080")
    .meta(text("Port to listen on; 0 chooses a free one.", "8080", "whole number, 0 to 65535")),
  DATA_DIR: z
    .string()
    .default("./data")
    .meta(text("Folder of the SQLite database and the master key (mode 0700).", "/var/lib/trunkline")),
  DATABASE_URL: postgresUrl(
    "A PostgreSQL database, 15 or later. Without it: SQLite in the data folder.",
    "postgres://trunkline@db/trunkline",
  ),
  DATABASE_LISTEN_URL: postgresUrl(
    "PostgreSQL behind a pooler in transaction mode: an address of the same database that leads past it, for notifications. Without it other processes are noticed by polling, once a second.",
    "postgres://trunkline@db-direct/trunkline",
  ),
  DATABASE_SCHEMA: z
    .string()
    .max(63, "must have at most 63 characters")
    .regex(
      /^(?!pg_)(?!information_schema$)[a-z][a-z0-9_]*$/,
      "must be lower-case letters, digits and _, begin with a letter, and be none of PostgreSQL's own (pg_…)",
    )
    .default("trunkline")
    .meta(
      text(
        "PostgreSQL: the schema that holds the tables; the first start creates it. Each Trunkline in the same database needs its own.",
        "trunkline",
        "lower-case letters, digits and `_`",
      ),
    ),
  POSTGRES_CONNECTIONS: wholeNumber(2, 500)
    .prefault("6")
    .meta(
      text(
        "PostgreSQL: maximum number of connections of this process: one listens for other processes, the rest run queries. All processes together must stay below the server's `max_connections`.",
        "6",
        "whole number, 2 to 500",
      ),
    ),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .transform((value) => value.replace(/(?<!\/)\/+$/, ""))
    .optional()
    .meta(
      text(
        "The public address of this service, used for providers' callbacks and in links of mails.",
        "https://sms.example.com",
        "http or https URL",
      ),
    ),
  MASTER_KEY: z
    .string()
    .min(32, "must have at least 32 characters")
    .optional()
    .meta(
      text(
        "Encrypts gateway settings and keys in the database. Without it, a key file in the data folder, created at the first start.",
        "output of: openssl rand -base64 32",
        "text, 32 characters or more",
      ),
    ),
  PROVISION: z
    .string()
    .optional()
    .meta(text("Path of a provisioning file (YAML or JSON), applied at start.", "provision.yaml")),
  PRICES: z
    .string()
    .optional()
    .meta(text("Path of a file of AI list prices (JSON), in place of the built-in ones.", "prices.json")),
  OUTBOUND_ALLOW: z
    .string()
    .default("")
    .meta(
      text(
        "CIDR blocks, comma-separated, that outbound requests may reach although they are not public.",
        "10.1.0.0/16,127.0.0.0/8",
        "CIDR blocks, comma-separated",
      ),
    ),
  TRUSTED_PROXIES: z
    .string()
    .default("")
    .transform((value) =>
      value
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .meta(
      text(
        "Addresses or CIDR blocks, comma-separated, of reverse proxies whose X-Forwarded headers are believed.",
        "10.0.0.2",
        "addresses or CIDR blocks, comma-separated",
      ),
    ),
  METRICS_TOKEN: z
    .string()
    .min(16, "must have at least 16 characters")
    .optional()
    .meta(
      text(
        "Bearer token for /metrics. Without it: only callers on the loopback interface.",
        "a long random text",
        "text, 16 characters or more",
      ),
    ),
  MAX_CONTACTS: wholeNumber(1, 1_000_000)
    .prefault("10000")
    .meta(text("Maximum number of contacts in one send.", "10000", "whole number, 1 to 1000000")),
  MAX_BODY_BYTES: wholeNumber(1024, 1_073_741_824)
    .prefault("33554432")
    .meta(text("Maximum size of a request body, bytes.", "33554432", "whole number, 1024 to 1073741824")),
  MAX_ANSWER_BYTES: wholeNumber(65_536, 268_435_456)
    .prefault("16777216")
    .meta(
      text(
        "Maximum size of a whole answer of an AI provider, bytes; four times as much with embeddings. A longer one counts as broken, and another member is called.",
        "16777216",
        "whole number, 65536 to 268435456",
      ),
    ),
  MAX_UPLOAD_BYTES: wholeNumber(1024, 1_073_741_824)
    .prefault("134217728")
    .meta(
      text(
        "Maximum size of a multipart body of an email send, including files, bytes. Files are stored as they arrive, never held whole in memory.",
        "134217728",
        "whole number, 1024 to 1073741824",
      ),
    ),
  MAX_KEYLESS_BODY_BYTES: wholeNumber(1024, 1_073_741_824)
    .prefault("2097152")
    .meta(
      text(
        "Maximum size of a request body whose key is neither in the Api-key header nor in the URL, bytes; for a form with files, the part before its key.",
        "2097152",
        "whole number, 1024 to 1073741824",
      ),
    ),
  MAX_BODIES_BYTES: wholeNumber(1_048_576, 68_719_476_736)
    .optional()
    .meta(
      text(
        "Memory that all request bodies being read or worked on may take together, bytes; a request that exceeds it is answered 503 with `Retry-After`. Bodies of 64 KiB or less have half as much in addition; bodies whose key is not known yet may take at most a quarter. Default: four times the maximum size of a body.",
        "134217728",
        "whole number, 1048576 to 68719476736",
      ),
    ),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000)
    .prefault("10000")
    .meta(
      text(
        "Maximum number of HTTP connections; further ones are closed at once. The process needs a higher limit of open files.",
        "10000",
        "whole number, 1 to 1000000",
      ),
    ),
  BOUNCE_SMTP_PORT: wholeNumber(1, 65535)
    .optional()
    .meta(
      text(
        "Port, on the same address as HTTP, that receives bounces of mails whose gateway has a `return_path_domain`, whose MX record must point here. Without it, there is no such port.",
        "25",
        "whole number, 1 to 65535",
      ),
    ),
  ...smtpVariables,
  LINKED_DEVICES: wholeNumber(0, 10_000)
    .prefault("20")
    .meta(
      text(
        "Maximum number of linked WhatsApp devices of the installation. Some 20 of them take 145 MB besides the service; further ones are refused with 409.",
        "20",
        "whole number, 0 to 10000",
      ),
    ),
  LINKED_DEVICES_PER_ACCOUNT: wholeNumber(0, 10_000)
    .prefault("5")
    .meta(text("Maximum number of linked WhatsApp devices of one account.", "5", "whole number, 0 to 10000")),
  DASHBOARD: z
    .enum(["true", "false"], "must be true or false")
    .transform((value) => value === "true")
    .prefault("true")
    .meta(
      text(
        "Whether to serve the dashboard; if false, its pages are answered with 404. The management API is not affected.",
        "true",
        "`true` or `false`",
      ),
    ),
  SHOW_API_KEYS: z
    .enum(["true", "false"], "must be true or false")
    .transform((value) => value === "true")
    .prefault("true")
    .meta(
      text(
        "Whether to keep a sealed copy of each API key, so that its owner can see it again; if false, only its hash is kept.",
        "true",
        "`true` or `false`",
      ),
    ),
  LOG_REQUESTS: z
    .string()
    .regex(/^(?:true|false|[1-9]\d{0,5})$/, "must be true, false or a whole number from 1 to 999999")
    .transform((value) => (value === "true" ? 1 : Number(value) || 0))
    .prefault("true")
    .meta(
      text(
        "Log a line for each request: method, route, status, ms, request id and account, never texts, numbers or keys. With a number, only one in this many requests answered 2xx is logged. Health checks and metrics are logged only at `debug`.",
        "100",
        "`true`, `false` or a whole number, 1 to 999999",
      ),
    ),
  LOG_FORMAT: z
    .enum(["auto", "json", "text"], "must be auto, json or text")
    .default("auto")
    .meta(
      text(
        "How a line of the log is written: `json`, or `text` for people. `auto`: `text` on a terminal.",
        "json",
        "`auto`, `json` or `text`",
      ),
    ),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], "must be debug, info, warn, error or silent")
    .default("info")
    .meta(
      text(
        "The level of the log on standard output.",
        "info",
        "`debug`, `info`, `warn`, `error` or `silent`",
      ),
    ),
  TAKEOVER_MS: wholeNumber(1000, 600_000)
    .prefault("45000")
    .meta(
      text(
        "PostgreSQL with several processes: how long one may be silent before the others take over its gateways and free the slots of its AI calls, ms.",
        "45000",
        "whole number, 1000 to 600000",
      ),
    ),
  STOP_DELAY_MS: wholeNumber(0, 60_000)
    .prefault("0")
    .meta(
      text(
        "Behind a load balancer: how long a stopping process still accepts requests while its readiness check fails, ms.",
        "0",
        "whole number, 0 to 60000",
      ),
    ),
  KEEP_MESSAGES_DAYS: days
    .optional()
    .meta(
      afterDays(
        "Removes messages that have ended, with their timelines and receipts, and inbound messages, this many days after their last change. Without it, they are kept forever.",
        "365",
      ),
    ),
  KEEP_WEBHOOK_DAYS: days
    .prefault("30")
    .meta(afterDays("Removes webhook events with their ended deliveries after this many days.", "30")),
  KEEP_AUDIT_DAYS: days
    .optional()
    .meta(
      afterDays(
        "Removes entries of the audit log after this many days. Without it, they are kept forever.",
        "730",
      ),
    ),
  KEEP_USAGE_DAYS: days
    .prefault("90")
    .meta(
      afterDays(
        "Removes the records of single AI calls after this many days; the sums of each day stay.",
        "90",
      ),
    ),
  KEEP_DEFERRED_DAYS: days
    .prefault("7")
    .meta(afterDays("Removes deferred completions with their results this many days after they ended.", "7")),
  CRASH_AT: z
    .string()
    .optional()
    .meta(
      text(
        "For fault tests only: kills the process at a named point, `name` or `name:N` for the Nth time it is reached.",
        "settle.before:3",
      ),
    ),
} as const;

const schema = z.object(variables);
export type Config = z.output<typeof schema>;

/** Variables that `…_FILE` can set to the content of a file, so that a secret is not in the environment. */
export const asFile = ["MASTER_KEY", "DATABASE_URL", "DATABASE_LISTEN_URL", "METRICS_TOKEN"] as const;

/**
 * What commands such as `trunkline send` read to ask an installation elsewhere. The service reads none of them; they may be set in
 * its environment.
 */
export const clientVariables = {
  URL: text(
    "The address of an installation that commands use instead of the one on this machine.",
    "https://sms.example.com",
  ),
  TOKEN: text("A management token for that address.", "tlm_…"),
  API_KEY: text("An account's API key for that address, enough for `send` and `get`.", "tlk_…"),
  POOL_KEY: text("A pool key for that address, enough for `ask`.", "tlp_…"),
} as const;

/** The environment, for what an operator's own files refer to by name. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;

/** Judges a value that this file cannot: the problem in plain words, or null. */
type Checks = Partial<Record<keyof typeof variables, (value: string) => string | null>>;

/** Reads the environment. All errors are reported at once, those of `checks` too. */
export function readConfig(
  from: Readonly<Record<string, string | undefined>> = environment,
  checks: Checks = {},
): { config: Config } | { errors: string[] } {
  const errors: string[] = [];
  const values: Record<string, string> = {};
  for (const name of Object.keys(variables)) {
    const value = from[`TRUNKLINE_${name}`];
    if (value !== undefined && value !== "") values[name] = value;
  }
  for (const name of asFile) {
    const path = from[`TRUNKLINE_${name}_FILE`];
    if (path === undefined || path === "") continue;
    if (values[name] !== undefined) errors.push(`TRUNKLINE_${name} and TRUNKLINE_${name}_FILE are both set.`);
    try {
      values[name] = readFileSync(path, "utf8").trim();
    } catch (error) {
      errors.push(
        `TRUNKLINE_${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code ?? "error"}.`,
      );
    }
  }
  const known = new Set([
    ...Object.keys(variables),
    ...asFile.map((name) => `${name}_FILE`),
    ...Object.keys(clientVariables),
  ]);
  for (const name of Object.keys(from)) {
    if (name.startsWith("TRUNKLINE_") && !name.startsWith("TRUNKLINE_TEST_") && !known.has(name.slice(10))) {
      errors.push(`${name} is not a setting of this version.`);
    }
  }
  const result = schema.safeParse(values);
  if (!result.success) {
    for (const issue of result.error.issues)
      errors.push(`TRUNKLINE_${issue.path.join(".")} ${issue.message}.`);
  }
  for (const [name, check] of Object.entries(checks)) {
    const problem = check(values[name] ?? "");
    if (problem !== null) errors.push(`TRUNKLINE_${name}: ${problem}`);
  }
  return errors.length > 0 || !result.success ? { errors } : { config: result.data };
}
