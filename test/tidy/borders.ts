// The borders of the source tree as data: which folder may see which, and what only one place may use.

/** Imports run from a higher rank to a lower one; equal ranks never see each other. */
export const ranks: Readonly<Record<string, number>> = {
  runtime: 0,
  settings: 0,
  contract: 0,
  store: 1,
  gateways: 1,
  providers: 1,
  core: 2,
  queue: 2,
  accounts: 3,
  identity: 3,
  webhooks: 3,
  phones: 3,
  messaging: 4,
  ai: 4,
  configure: 4,
  maintenance: 4,
  attention: 5,
  http: 6,
  provision: 6,
  "lanes.ts": 6,
  "system.ts": 7,
  demo: 8,
  "command-line": 9,
  "main.ts": 10,
};

/** Packages that one part of the tree alone may import. */
export const packageHomes: readonly { name: RegExp; home: RegExp; where: string }[] = [
  { name: /^(kysely|pg|node:sqlite)$/, home: /^src\/store\//, where: "src/store" },
  { name: /^find-my-way$/, home: /^src\/http\//, where: "src/http" },
  {
    name: /^(node:http|node:https|node:net|node:tls|node:dns|node:http2)(\/.*)?$/,
    home: /^src\/runtime\//,
    where: "src/runtime",
  },
  { name: /^(pino|node:timers)(\/.*)?$/, home: /^src\/runtime\//, where: "src/runtime" },
  { name: /^undici(\/.*)?$/, home: /^(?!src\/)/, where: "tests and benches" },
  { name: /^smtp-server$/, home: /^src\/runtime\//, where: "src/runtime" },
  { name: /^yaml$/, home: /^src\/provision\//, where: "src/provision" },
  { name: /^nodemailer(\/.*)?$/, home: /^src\/gateways\/email\//, where: "src/gateways/email" },
  { name: /^baileys$/, home: /^src\/gateways\/whatsapp\//, where: "src/gateways/whatsapp" },
];

/** Loaded when first needed, by the one file that uses them. */
export const heavy: readonly string[] = ["pg", "nodemailer", "smtp-server", "baileys", "marked"];

/** What only `src/runtime` may touch, so that a test can move the clock and read the log. */
export const outsideWorld: readonly { pattern: RegExp; name: string; also?: RegExp }[] = [
  { name: "Date.now", pattern: /\bDate\s*\.\s*now\b/g },
  { name: "new Date() without argument", pattern: /\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())/g },
  { name: "Temporal.Now", pattern: /\bTemporal\s*\.\s*Now\b/g },
  { name: "performance.now", pattern: /\bperformance\s*\.\s*now\b/g },
  { name: "process.hrtime", pattern: /\bprocess\s*\.\s*hrtime\b/g },
  { name: "Math.random", pattern: /\bMath\s*\.\s*random\b/g },
  { name: "randomUUID", pattern: /\brandomUUID\b/g },
  { name: "randomBytes", pattern: /\b(?:randomBytes|getRandomValues|randomInt)\b/g },
  { name: "setTimeout", pattern: /\bsetTimeout\b/g },
  { name: "setInterval", pattern: /\bsetInterval\b/g },
  { name: "global fetch", pattern: /(?<![.\w#])fetch\s*\(/g },
  { name: "console", pattern: /(?<![.\w#])console\s*\./g },
  { name: "process.env", pattern: /\bprocess\s*\.\s*env\b/g, also: /^src\/config\.ts$/ },
];

/** Where regular expressions are put together when the program runs, so that no rule can read them: why each is linear. */
export const builtRegexes: Readonly<Record<string, string>> = {
  "src/configure/sending-domain.ts": "anchored, its labels bounded and divided by dots",
  "src/gateways/sms/http-api/template.ts": "blanks between braces, of which there are two before each start",
  "src/http/allow.ts": "anchored, of the route table: segments divided by slashes",
  "src/messaging/email/html-text.ts": "what follows an angle bracket holds no angle bracket",
  "src/settings/redact.ts": "whole texts, one of several, none of them repeated",
};

/** Words that say nothing about what a thing is. */
export const emptyWords: readonly string[] = [
  "service",
  "manager",
  "helper",
  "helpers",
  "util",
  "utils",
  "common",
  "base",
  "dto",
  "impl",
];

/** Field names of the wire that contain one of those words. */
export const wireWords = /^(service_?pool|base_?url)/i;

/** Files that may be longer than 400 lines, each with its reason. */
export const longFiles: Readonly<Record<string, string>> = {};

/** Files with logic that have no twin test, each with its reason. */
export const withoutTwin: Readonly<Record<string, string>> = {
  "src/gateways/sms/vendors/": "definitions, run by vendors.test.ts with the recorded traffic of each vendor",
  "src/attention/attention.ts": "run by the tests of the overview, and of alerts.ts",
  "src/attention/gateway-state.ts": "run by the tests of the overview and of links",
  "src/messaging/hooks/send.ts": "run by the tests of the routes of hooks, and of attention/alerts.ts",
  "src/http/routes/phones/": "asked by the simulated phones of phones, as the app asks",
  "src/http/routes/twilio/": "asked by Twilio's own package, and by the tables of errors.ts and caller.ts",
  "src/http/routes/resend/": "asked by Resend's own package, and by the tables of errors.ts and caller.ts",
  "src/contract/resend/errors.ts": "a table, run by the test of http/routes/resend/errors.ts",
  "src/contract/twilio/errors.ts": "a table, run by the test of http/routes/twilio/errors.ts",
  "src/configure/status-callbacks.ts": "run by the test of webhooks/twilio-request.ts",
  "src/store/webhooks/status-callbacks.ts": "run by the test of webhooks/twilio-request.ts",
  "src/store/phones/": "run by the simulated phones of phones, on both engines",
  "src/gateways/session.ts": "types and one error, run by the test of messaging/deliver/session.ts",
  "src/gateways/message.ts":
    "types, and an error without logic that the tests of messaging/email/files.ts raise",
  "src/messaging/feedback/store-report.ts": "run by the tests of callbacks.ts, and of sessions",
  "src/gateways/whatsapp/linked/":
    "run by the test of session.ts with a bridge process, and by that of the bridge",
  "src/configure/link.ts": "run by the test of http/routes/manage/gateways/link.ts",
  "src/contract/manage/links.ts": "a schema, run by the test of http/routes/manage/gateways/link.ts",
  "src/contract/manage/pools/": "schemas, run by the tests of pools.ts and budgets.ts",
  "src/configure/gateway-actions.ts": "run by the tests of http/routes/manage/gateways",
  "src/http/routes/manage/manage-routes.ts": "run by the tests of the routes of every resource",
  "src/command-line/": "run by the test of program.ts, as a person runs the commands",
  "src/ai/apis/piece-writer.ts": "run by the tests of the streams of apis, and of stream/plain-frames.ts",
  "src/demo/": "played by the test of demo.ts",
  "src/runtime/movable-clock.ts": "moved by every test in which time passes",
  "src/runtime/net/api-request.ts": "asked by the commands, and by the test of operator-socket.ts",
  "src/runtime/net/http/http-error.ts": "one error without logic, which the tests of its folder expect",
  "src/main.ts": "started for real by the fault tests and by the start test",
  "src/lanes.ts": "wired and run by every scenario test",
  "src/provision/present.ts": "run by the tests of compare.ts and export.ts",
  "src/system.ts": "wired and run by every scenario test",
  "src/runtime/net/smtp/load-smtp-server.ts": "run by the tests of both ports",
  "src/settings/smtp-variables.ts": "a table, run by the test of config.ts",
  "src/settings/variable.ts": "run by the test of config.ts",
  "src/http/auth/shared-limits.ts": "run by the tests of the edge and of http/submission/desk.ts",
  "src/messaging/accept/sender.ts": "run by the tests of Resend's API and of http/submission",
  "src/messaging/accept/written-file.ts": "run by the tests of http/submission, on both engines",
  "src/messaging/email/written.ts": "run by the tests of http/submission, on both engines",
  "src/gateways/email/mail-text/finished.ts": "run by the tests of http/submission",
  "src/gateways/email/mail-text/rebuilt.ts": "run by the tests of parts.ts and of http/submission",
  "src/gateways/email/reports/thread.ts": "run by the test of report-reader.ts, which starts it",
  "src/store/schema/migrations/0002-message-counts.ts":
    "run by the test of `0003-history.ts`, on both engines",
  "src/store/schema/dialect.ts": "run by the test of every migration, on both engines",
};

/** Variables for fault tests only: they are not part of the documented configuration. */
export const testVariables: readonly string[] = ["CRASH_AT"];
