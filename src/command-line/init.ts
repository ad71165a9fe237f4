// `trunkline init`: asks three questions and writes `.env` and `provision.yaml` into the current folder.

import { closeSync, existsSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { commandWords } from "#runtime/program.ts";
import { systemRandom } from "#runtime/random.ts";
import { newSecret } from "#runtime/secret.ts";
import type { Result, Terminal } from "./terminal.ts";

const files = [".env", "provision.yaml"] as const;

interface Answers {
  account: string;
  /** Empty if not known yet. */
  publicUrl: string;
  /** Empty for SQLite. */
  databaseUrl: string;
}

interface Question {
  name: keyof Answers;
  text: string;
  /** What is wrong with an answer; null if it is valid. */
  judge(answer: string): string | null;
}

const questions: readonly Question[] = [
  {
    name: "account",
    text: "What is the first account called?",
    judge: (answer) =>
      /^[\w .-]{1,100}$/.test(answer) ? null : "Up to 100 letters, digits, blanks, dots and dashes, please.",
  },
  {
    name: "publicUrl",
    text: "At which address does the world reach this service, such as https://sms.example.com? (Enter: none yet)",
    judge: (answer) =>
      answer === "" || (/^https?:\/\//.test(answer) && URL.canParse(answer))
        ? null
        : "An address begins with http:// or https://.",
  },
  {
    name: "databaseUrl",
    text: "Which PostgreSQL database, such as postgres://trunkline@db/trunkline? (Enter: SQLite in the folder `data`)",
    judge: (answer) =>
      answer === "" || (/^postgres(ql)?:\/\//.test(answer) && URL.canParse(answer))
        ? null
        : "The address of a database begins with postgres://.",
  },
];

const presets: Answers = { account: "default", publicUrl: "", databaseUrl: "" };

/** Asks at the terminal until each answer is valid; if the input ends, the remaining answers are the defaults. */
async function askAll({ input, output }: Terminal): Promise<Answers> {
  const reader = createInterface({ input });
  const lines = reader[Symbol.asyncIterator]();
  const answers = { ...presets };
  try {
    for (const { name, text, judge } of questions) {
      for (;;) {
        output.write(`${text}${presets[name] === "" ? "" : ` [${presets[name]}]`} `);
        const { value, done } = await lines.next();
        if (done) return answers;
        const answer = value.trim() || presets[name];
        const wrong = judge(answer);
        if (wrong === null) {
          answers[name] = answer;
          break;
        }
        output.write(`${wrong}\n`);
      }
    }
    return answers;
  } finally {
    reader.close();
  }
}

/** `#` begins a comment in the file, and quotes are removed. */
const quoted = (text: string) => (/[\s#"'\\]/.test(text) ? `'${text}'` : text);

function environmentFile({ publicUrl, databaseUrl }: Answers, keys: { api: string; pool: string }): string {
  return `# Settings of Trunkline; docs/reference/configuration.md has all. This file holds secrets: keep it out of version control.
TRUNKLINE_PROVISION=provision.yaml
${publicUrl === "" ? "#TRUNKLINE_PUBLIC_URL=https://sms.example.com" : `TRUNKLINE_PUBLIC_URL=${quoted(publicUrl)}`}
${databaseUrl === "" ? "#TRUNKLINE_DATABASE_URL=postgres://trunkline@db/trunkline" : `TRUNKLINE_DATABASE_URL=${quoted(databaseUrl)}`}

# The keys of the first account and of its pool. provision.yaml refers to them.
TRUNKLINE_API_KEY=${keys.api}
TRUNKLINE_POOL_KEY=${keys.pool}
`;
}

function provisionFile({ account }: Answers, timeZone: string): string {
  return `# What this installation has, applied at every start; docs/reference/provisioning.md has all fields.
accounts:
  - name: ${JSON.stringify(account)}
    time_zone: ${timeZone}
    # country: DE                  # with it, numbers may be written nationally
    api_key: \${TRUNKLINE_API_KEY}
    gateways:
      # The sandbox sends nothing, but takes messages through their whole life. docs/reference/gateways.md has the real kinds, such as:
      # - identifier: twilio
      #   channel: sms
      #   kind: twilio
      #   settings: { account_sid: AC00000000000000000000000000000000, auth_token: "\${TWILIO_AUTH_TOKEN}", from: "+4915123456789" }
      - { identifier: sandbox-sms, channel: sms, kind: sandbox, default: true }
      - { identifier: sandbox-whatsapp, channel: whatsapp, kind: sandbox, default: true }
      - { identifier: sandbox-email, channel: email, kind: sandbox, default: true }
    pools:
      - name: default
        members:
          # docs/reference/providers.md has the real kinds, such as:
          # - { name: openai, kind: openai-compatible, models: [gpt-5-mini], settings: { vendor: openai, api_key: "\${OPENAI_API_KEY}" } }
          - { name: sandbox, kind: sandbox, models: [echo] }
          - { name: sandbox-backup, kind: sandbox, models: [echo], priority: 2 }
        keys:
          - { name: default, key: "\${TRUNKLINE_POOL_KEY}" }
`;
}

/** Writes a file that must not exist, readable by its owner only. */
function write(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** `yes`: asks no questions and uses all defaults. */
export async function init(terminal: Terminal, { yes = false }: { yes?: boolean }): Promise<Result> {
  const present = files.filter((name) => existsSync(join(terminal.folder, name)));
  if (present.length > 0)
    throw new Error(
      `${present.join(" and ")} ${present.length === 1 ? "is" : "are"} here already. This command overwrites nothing.`,
    );
  const answers = yes ? presets : await askAll(terminal);
  const random = systemRandom();
  const keys = { api: `tl_${newSecret(random)}`, pool: `tlp_${newSecret(random)}` };
  write(join(terminal.folder, ".env"), environmentFile(answers, keys));
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  write(join(terminal.folder, "provision.yaml"), provisionFile(answers, timeZone));
  return {
    text: `
Written: .env (settings and keys) and provision.yaml (account, gateways, pool).

  ${commandWords("").padEnd(24)} starts the service
  ${commandWords("setup").padEnd(24)} makes the link with which you become its operator
  ${commandWords("doctor").padEnd(24)} says what is not right yet`,
    data: { files, account: answers.account },
  };
}
