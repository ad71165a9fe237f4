// What becomes of each field of each client API at each kind of member; docs/ai-translation.md is made from it:
// `node test/ai/translation-table.ts`.

import { writeFileSync } from "node:fs";
import { clientApis } from "#ai/apis/apis.ts";
import { prepareAttempt } from "#ai/failover/prepare-attempt.ts";
import type { Member } from "#ai/pools/member.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { bedrock } from "#providers/bedrock/bedrock.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { Provider } from "#providers/provider.ts";
import { vertex } from "#providers/vertex/vertex.ts";
import { credentials } from "../providers/vertex/key-file.ts";
import { call } from "./failover/chain-calls.ts";
import { script } from "./scripted-members.ts";
import { apis, type Fields } from "./translation-fields.ts";

/** `silent`: the member gets the request as if the field were not there, and nothing says so. */
type Outcome = "carried" | "adapted" | "refused" | "Trunkline" | "silent";

const aws = { region: "eu-central-1", access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "s" };
const kinds: readonly [title: string, provider: Provider, settings: object, model: string][] = [
  ["OpenAI", openaiCompatible, { api_key: "k" }, "gpt-5-mini"],
  ["chat completions alone", openaiCompatible, { vendor: "deepseek", api_key: "k" }, "deepseek-chat"],
  ["Anthropic", anthropic, { api_key: "k" }, "claude-sonnet-4-5"],
  ["Gemini", gemini, { api_key: "k" }, "gemini-2.5-pro"],
  ["Bedrock, Claude", bedrock, aws, "anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ["Vertex AI, Claude", vertex, { credentials }, "claude-sonnet-4-5@20250929"],
  ["Vertex AI, Gemini", vertex, { credentials }, "gemini-2.5-pro"],
  ["Bedrock, Nova", bedrock, aws, "amazon.nova-pro-v1:0"],
];

function prepared(
  format: Fields["format"],
  body: object,
  [, provider, settings, model]: (typeof kinds)[number],
) {
  const text = JSON.stringify(body);
  const parsed = body as Readonly<Record<string, unknown>>;
  const api = clientApis
    .find((one) => one.format === format)!
    .request(
      { text, body: parsed, model: "m", stream: parsed.stream === true, includeUsage: false },
      { headers: {}, stem: "s", created: 0, query: new URLSearchParams() },
    );
  const member: Member = {
    ...script().member("m", []),
    provider,
    settings: provider.settings.parse(settings),
  };
  const asked = call([member], "chat", { text, body: parsed, api, pool: { params: "adapt" } });
  const native = provider.native(format, member.settings, model);
  const sealed = { sealed: null, values: [], foreign: new Set<string>() };
  const plan = { asked: { member, model }, native, tools: null, sealed };
  const ready = prepareAttempt(asked, plan, false, 0);
  const leftOut = native === null ? api.leftOut() : [];
  return { ...ready, named: [...ready.adapted, ...leftOut] };
}

const sentBy = ({ prepared: made }: ReturnType<typeof prepared>): string =>
  made.kind === "request" ? String(made.request.body) : JSON.stringify(made);

function outcomeOf(api: Fields, field: string, kind: (typeof kinds)[number]): Outcome {
  if (api.gateway.includes(field)) return "Trunkline";
  const value = api.values[field];
  const [own, beside = {}] = Array.isArray(value) ? (value as [unknown, object?]) : [value];
  const before = prepared(api.format, { ...api.base, ...beside }, kind);
  const asked = api.merged ? (own as object) : { [field]: own };
  const after = prepared(api.format, { ...api.base, ...beside, ...asked }, kind);
  if (after.prepared.kind === "unsupported_parameter") return "refused";
  if (after.named.some((name) => !before.named.includes(name))) return "adapted";
  return sentBy(after) === sentBy(before) ? "silent" : "carried";
}

/** Each API's fields, and what becomes of them at the kinds of members, in their order. */
export const translations = () =>
  apis.map((api) => ({
    api,
    rows: Object.keys(api.values)
      .sort()
      .map((field) => ({ field, outcomes: kinds.map((kind) => outcomeOf(api, field, kind)) })),
  }));

export const page = "docs/ai-translation.md";

/** The text of the page. */
export function pageText(): string {
  const parts = translations().map(({ api, rows }) => {
    const head = `| field | ${kinds.map(([title]) => title).join(" | ")} |\n|---|${kinds.map(() => "---").join("|")}|`;
    const lines = rows.map(({ field, outcomes }) => `| \`${field}\` | ${outcomes.join(" | ")} |`);
    return `## ${api.title}\n\n${head}\n${lines.join("\n")}\n`;
  });
  return `# What a member gets of a request

A test makes this page: it asks each kind of member with one field at a time, and fails where a field is lost without a word, or where an official
client has a field that is not listed. \`carried\`: the member gets it, or its equivalent. \`adapted\`: the member is asked without it, or with
something that stands for it, and \`X-Service-Pool-Adapted\` names it. \`refused\`: this member cannot serve the request, and the next one is asked.
\`Trunkline\`: the gateway itself does what the field says, or refuses the request. The models are gpt-5-mini, deepseek-chat, claude-sonnet-4-5,
gemini-2.5-pro and nova-pro; other models of a vendor may take more or less. Azure's members take what OpenAI's do. Requests in Gemini's format are translated for every member, and
\`X-Service-Pool-Adapted\` names what is left out ([completion guarantees](ai-guarantees.md), 1).

${parts.join("\n")}`;
}

if (import.meta.main) writeFileSync(page, pageText());
