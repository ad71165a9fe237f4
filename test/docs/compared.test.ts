// What docs/compared.md says of Trunkline is what the OpenAPI document, the settings and the registries have: every row is checked here, by
// them or by the test that proves it.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { eventCatalogue } from "#contract/events/catalogue.ts";
import { adapters } from "#gateways/registry.ts";
import { providers } from "#providers/registry.ts";
import { variables } from "../../src/config.ts";

interface Schema {
  properties: Record<string, { default?: unknown; properties?: Record<string, unknown> }>;
}
const document = JSON.parse(readFileSync("docs/reference/openapi.json", "utf8")) as {
  paths: Record<string, { post?: { parameters?: { $ref: string }[] } }>;
  components: { schemas: Record<string, Schema> };
};
const paths = Object.keys(document.paths);
const schema = (name: string): Schema["properties"] => {
  const found = document.components.schemas[name];
  assert.ok(found, name);
  return found.properties;
};
const hasPath = (pattern: RegExp) => paths.some((path) => pattern.test(path));
const has = (is: boolean, no = /^no$/) => (is ? /^yes\b/ : no);
const kinds = adapters.map(({ kind }) => kind);
const gatewayKinds = readFileSync("docs/reference/gateways.md", "utf8");
const settings = Object.keys(variables).join(" ");
const contact = schema("EmailContact");

/** The operations below `/api/ai/v1` by the words of the table. */
const operations: Record<string, RegExp> = {
  "chat completions": /^\/chat\//,
  completions: /^\/completions$/,
  Responses: /^\/responses/,
  Messages: /^\/messages/,
  "Gemini's": /^\/models\/\{model\}:/,
  embeddings: /^\/embeddings$/,
  images: /^\/images\//,
  speech: /^\/audio\/speech$/,
  transcription: /^\/audio\/trans/,
  moderation: /^\/moderations$/,
  rerank: /^\/rerank$/,
};
/** The kinds of providers by the words of the table. */
const kindsOfProviders: Record<string, string | null> = {
  "OpenAI-compatible ones": "openai-compatible",
  Azure: null,
  Anthropic: "anthropic",
  Gemini: "gemini",
  Bedrock: "bedrock",
  "Vertex AI": "vertex",
};
/** Kinds of SMS gateways that are no vendor's. */
const noVendors = ["sandbox", "http-api", "smpp", "android", "spread"];
const vendors = adapters.filter(
  ({ kind, channels }) => channels.includes("sms") && !noVendors.includes(kind),
);

/** What Trunkline's cell of each row has to say, by what there is. */
const facts: Record<string, RegExp> = {
  "what it is": /self-hosted/,
  licence: new RegExp(`^${JSON.parse(readFileSync("package.json", "utf8")).license}$`),
  "what it costs": /^nothing$/,
  "client APIs": new RegExp(`^${Object.keys(operations).join(", ")}$`),
  "batches, files, realtime": has(hasPath(/\/api\/ai\/.*\/(?:batches|files|realtime)/)),
  providers: new RegExp(`^${Object.keys(kindsOfProviders).join(", ")}$`),
  "limits per key": /^requests, tokens, calls at once, budgets; /,
  "session affinity for prompt caches": has(schema("CreatePoolRequest").affinity?.default === "prefix"),
  "response cache": "cache" in schema("CreatePoolRequest") ? /^exact, per key$/ : /^no$/,
  guardrails: has(/guardrail/i.test(Object.keys(schema("CreatePoolRequest")).join(" "))),
  "MCP gateway": has(hasPath(/mcp/i)),
  "single sign-on": has(hasPath(/oidc|saml|sso/i) || /OIDC|SAML|SSO/.test(settings)),
  "deferred completions with a signed webhook": has(hasPath(/\/deferred\//)),
  "SMS, WhatsApp and email beside it": has(hasPath(/\/sms\/send/) && hasPath(/\/email\/send/)),
  channels: /^SMS, WhatsApp \(Cloud API and linked devices\), email$/,
  "SMS providers": new RegExp(`^${vendors.length} vendors, SMPP, any HTTP API, Android phones$`),
  "idempotency key": has(
    document.paths["/api/sms/send"]?.post?.parameters?.some(({ $ref }) => $ref.endsWith("Idempotency-Key")) ??
      false,
  ),
  "your own data in events":
    "reference" in contact && "metadata" in contact ? /^`reference` and `metadata`$/ : /^no$/,
  webhooks: hasPath(/\/webhooks\/\{webhook\}\/replay$/) ? /^signed, .*replayable$/ : /^signed, /,
  "schedule, change, cancel": has(hasPath(/\/api\/reschedule\//) && hasPath(/\/api\/cancel\//)),
  "SMTP submission": has(/\bSMTP_PORT\b/.test(settings)),
  "`cc`, `bcc`, own headers": has("cc" in contact || "bcc" in contact || "headers" in contact),
  "stored mail templates": has("template" in contact || hasPath(/\/templates/)),
  "inbound mail": has(eventCatalogue.some(({ type }) => /email|mail\.received/.test(type))),
  "MMS, RCS": has(/\b(?:mms|rcs)\b/i.test(kinds.join(" ")) || "media" in schema("SmsContact")),
  "groups, buttons, reactions": has(
    ["group", "buttons", "reaction"].some((field) => field in schema("WhatsappContact")),
  ),
  "sandbox with an outcome for each recipient": has(/^## Sandbox/m.test(gatewayKinds)),
  "suppression list": has(hasPath(/\/suppressions\/\{channel\}/)),
  "AI gateway beside it": has(hasPath(/\/api\/ai\//)),
};
/** Rows about behaviour, and the tests that prove them. */
const proofs: Record<string, string> = {
  "failover to another vendor": "test/ai/failover/failover.test.ts",
  "a stream that breaks after its first output": "test/ai/recorded-streams.test.ts",
  "sealed reasoning (Codex) between members": "test/ai/failover/sealed-sessions.test.ts",
  "tools at OpenAI models that take them at `/responses` alone, through the chat API":
    "test/providers/openai/over-responses/request.test.ts",
  "a message that may have been sent": "test/scenarios/12-unknown.test.ts",
};

/** The rows of each table: its name and its cells, Trunkline's first. */
const tables = readFileSync("docs/compared.md", "utf8")
  .split("\n\n")
  .filter((part) => part.startsWith("| | Trunkline |"))
  .map((part) =>
    part
      .split("\n")
      .slice(2)
      .map((line) => line.slice(2, -2).split(" | ")),
  );

test("every column has the date of what it says", () => {
  assert.equal(tables.length, 2);
  for (const [[name, ...dates] = []] of tables) {
    assert.equal(name, "as of");
    assert.equal(dates.length, 4);
    for (const date of dates) assert.match(date, /^20\d\d-\d\d-\d\d$/);
  }
});

test("every row has as many cells as its table has columns", () => {
  for (const rows of tables) for (const row of rows) assert.equal(row.length, 5, row.join(" | "));
});

test("Trunkline's column is what there is", () => {
  const cells = tables.flatMap((rows) => rows.slice(1).map(([name = "", cell = ""]) => ({ name, cell })));
  for (const { name, cell } of cells) {
    if (name in proofs) assert.ok(existsSync(proofs[name] ?? ""), name);
    else assert.match(cell, facts[name] ?? /$^/, name);
  }
  const known = [...Object.keys(facts), ...Object.keys(proofs)];
  assert.deepEqual(
    known.filter((name) => !cells.some((cell) => cell.name === name)),
    [],
  );
});

test("each operation and each provider of the table is there, and each that is there is in the table", () => {
  const asked = paths.filter((path) => document.paths[path]?.post && path.startsWith("/api/ai/v1/"));
  const below = asked.map((path) => path.slice("/api/ai/v1".length));
  const patterns = Object.values(operations);
  assert.deepEqual(
    below.filter((path) => !/^\/deferred/.test(path) && !patterns.some((each) => each.test(path))),
    [],
  );
  assert.deepEqual(
    Object.keys(operations).filter((name) => !below.some((path) => operations[name]?.test(path) ?? false)),
    [],
  );
  const named = Object.values(kindsOfProviders).filter((kind) => kind !== null);
  assert.deepEqual(
    named.toSorted(),
    providers
      .map(({ kind }) => kind)
      .filter((kind) => kind !== "sandbox")
      .toSorted(),
  );
});

test("the limits of a key are those of the table", () => {
  const row = tables.flat().find(([name]) => name === "limits per key");
  assert.match(row?.[1] ?? "", /^requests, tokens, calls at once, budgets; /);
  const { limits, budget } = schema("CreatePoolKeyRequest");
  assert.deepEqual(Object.keys(limits?.properties ?? {}), [
    "requests_per_minute",
    "tokens_per_minute",
    "concurrency",
  ]);
  assert.ok(budget);
});

test("README counts the SMS vendors as they are", () => {
  assert.match(readFileSync("README.md", "utf8"), new RegExp(`\\[${vendors.length} SMS vendors\\]`));
});
