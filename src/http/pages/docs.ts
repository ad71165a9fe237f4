// The page at /docs: the OpenAPI document as one self-contained page. Nothing is fetched to show it: no other host, no
// font, no script file; the page works offline and under a policy that allows its own two inline blocks, and requests to
// its own address for "Try it".

import { createHash } from "node:crypto";
import { docsScript, docsStyle } from "./docs-assets.ts";
import { eventSections, type Webhooks } from "./docs-events.ts";
import { tryElement, tryKeys, tryScript } from "./docs-try.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  examples?: unknown[];
  additionalProperties?: Schema | boolean;
}

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response | { $ref: string }>;
}

interface Response {
  description: string;
  /** Absent if the reply has no body. */
  content?: Record<string, Media>;
}

interface Document {
  info: { title: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Webhooks;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    parameters: Record<string, Parameter>;
  };
}

interface Listed {
  method: string;
  path: string;
  operation: Operation;
}

/** Text made safe for HTML; `code` spans of the descriptions become elements. */
function safe(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function prose(text: string): string {
  return safe(text)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll("\n\n", "<br>");
}

/** A schema with its reference followed, and with an "or null" taken off. */
function resolve(document: Document, schema: Schema): { schema: Schema; nullable: boolean } {
  if (schema.$ref !== undefined) {
    const target = document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {};
    return resolve(document, {
      ...target,
      ...(schema.description ? { description: schema.description } : {}),
    });
  }
  const options = schema.anyOf ?? schema.oneOf;
  const real = options?.filter((option) => option.type !== "null") ?? [];
  if (options === undefined || real.length !== 1) return { schema, nullable: false };
  const inner = resolve(document, real[0]!);
  const nullable = inner.nullable || real.length < options.length;
  return {
    schema: { ...inner.schema, ...(schema.description ? { description: schema.description } : {}) },
    nullable,
  };
}

function typeOf(document: Document, schema: Schema, nullable: boolean): string {
  const words = [schema.type ?? (schema.oneOf ? "object" : "any")].flat().join(" or ");
  const items = schema.items === undefined ? null : resolve(document, schema.items).schema;
  const base =
    items === null
      ? words
      : `array of ${[items.type ?? (items.oneOf ? "object" : "any")].flat().join(" or ")}s`;
  return nullable ? `${base} or null` : base;
}

function remarks(schema: Schema): string {
  const parts: string[] = [];
  if (schema.description) parts.push(prose(schema.description));
  if (schema.enum) parts.push(schema.enum.map((value) => `<code>${safe(String(value))}</code>`).join(" "));
  if (schema.const !== undefined) parts.push(`Always <code>${safe(String(schema.const))}</code>.`);
  if (schema.maxLength !== undefined)
    parts.push(`At most ${schema.maxLength.toLocaleString("en")} characters.`);
  if (schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER) {
    parts.push(`${schema.minimum ?? 0} to ${schema.maximum}.`);
  }
  return parts.join(" ");
}

/** Merges the fields of several kinds of records into one: fields that all of them have are required. */
function merged(document: Document, kinds: readonly Schema[]): Schema {
  const schemas = kinds.map((kind) => resolve(document, kind).schema);
  const properties: Record<string, Schema> = {};
  const words = new Set<unknown>();
  for (const schema of schemas) {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (field.const !== undefined) words.add(field.const);
      properties[name] ??= field;
    }
  }
  for (const [name, { const: word, ...field }] of Object.entries(properties)) {
    if (word !== undefined) properties[name] = { ...field, enum: [...words] as string[] };
  }
  const required = Object.keys(properties).filter((name) =>
    schemas.every((schema) => schema.required?.includes(name)),
  );
  return { properties, required };
}

/** The rows of a field table: every property under its dotted path, as deep as the schema goes. */
function rowsOf(document: Document, schemaOrRef: Schema, prefix: string): string {
  const { schema } = resolve(document, schemaOrRef);
  if (schema.items !== undefined) return rowsOf(document, schema.items, `${prefix}[]`);
  if (schema.oneOf !== undefined) return rowsOf(document, merged(document, schema.oneOf), prefix);
  return Object.entries(schema.properties ?? {})
    .map(([name, property]) => {
      const path = prefix === "" ? name : `${prefix}.${name}`;
      const { schema: field, nullable } = resolve(document, property);
      const need = schema.required?.includes(name) ? "yes" : "no";
      return `<tr><td><code>${safe(path)}</code></td><td>${safe(typeOf(document, field, nullable))}</td><td>${need}</td><td>${remarks(field)}</td></tr>${rowsOf(document, field, path)}`;
    })
    .join("");
}

function fieldTable(caption: string, rows: string, need = "Required"): string {
  if (rows === "") return "";
  return `<div class="wide"><table><caption>${caption}</caption><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">${need}</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** The address in the examples until the script replaces it with the page's own. */
const placeholder = "http://localhost:8080";

/** The credential of an endpoint in a word, as curl sends it and as its field for "Try it"; null if it needs none. */
function keyOf(operation: Operation) {
  const [first] = operation.security ?? [];
  if (first === undefined) return null;
  if ("managementToken" in first)
    return { word: "Management", header: "Authorization: Bearer YOUR_TOKEN", credential: "token" } as const;
  if ("poolKey" in first)
    return {
      word: "Pool key",
      header: "Authorization: Bearer YOUR_POOL_KEY",
      credential: "pool_key",
    } as const;
  return { word: "Api-key", header: "Api-key: YOUR_KEY", credential: "api_key" } as const;
}

/** The form to try an operation with; "" if its body is not JSON. */
function tryOf(document: Document, { method, path, operation }: Listed): string {
  const { parameters = [], requestBody } = operation;
  const media = requestBody?.content["application/json"];
  if (requestBody !== undefined && media === undefined) return "";
  // An event stream never ends, so it cannot be awaited.
  const [answer] = Object.keys(successOf(operation)?.content ?? {});
  if (answer === "text/event-stream") return "";
  const query = parameters
    .map((each) => parameterOf(document, each))
    .flatMap((each) => (each.in === "query" ? [each.name] : []));
  const body = media === undefined ? null : JSON.stringify(media.example ?? {}, null, 2);
  return tryElement({ method, path, credential: keyOf(operation)?.credential ?? null, query, body }, safe);
}

/** The reply of a request that succeeded; null if it is a shared one, which is never only a stream. */
function successOf({ responses }: Operation): Response | null {
  const [, reply] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  return reply === undefined || "$ref" in reply ? null : reply;
}

const parameterOf = (document: Document, listed: Parameter | { $ref: string }): Parameter =>
  "$ref" in listed ? document.components.parameters[listed.$ref.split("/").at(-1) ?? ""]! : listed;

function curlOf({ method, path, operation }: Listed): string {
  const examples: Record<string, string> = {
    channel: "sms",
    id: "msg_01k3j5m8q2x9v7n4c6b0d1f3gh",
    identifier: "sms-main",
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => examples[name] ?? name);
  const lines = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${placeholder}${filled}`];
  const key = keyOf(operation);
  if (key !== null) lines.push(`-H '${key.header}'`);
  const media = operation.requestBody?.content["application/json"];
  if (media?.example !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(media.example)}'`);
  }
  return lines.join(" \\\n  ");
}

function codeBlock(label: string, text: string): string {
  return `<figure><figcaption>${label}<button type="button" class="copy">Copy</button></figcaption><pre tabindex="0"><code>${safe(text)}</code></pre></figure>`;
}

function repliesOf(document: Document, operation: Operation): string {
  return Object.entries(operation.responses)
    .map(([status, reply]) => {
      const response =
        "$ref" in reply ? document.components.responses[reply.$ref.split("/").at(-1) ?? ""]! : reply;
      const [type, media]: [string, Media] = Object.entries(response.content ?? {})[0] ?? [
        "",
        { schema: {} },
      ];
      const rows = Number(status) < 300 ? rowsOf(document, media.schema, "") : "";
      const examples = Object.values(media.examples ?? {})
        .map(({ value }) => codeBlock("Body", JSON.stringify(value, null, 2)))
        .join("");
      const more = rows === "" ? examples : fieldTable("Fields of the reply", rows, "Always");
      const title = `<span class="status s${status[0]}">${status}</span> <span>${prose(response.description)}</span>`;
      if (more === "") return `<div class="reply">${title} <small>${safe(type)}</small></div>`;
      return `<details class="reply"><summary>${title}</summary>${more}</details>`;
    })
    .join("");
}

function sectionOf(document: Document, listed: Listed): string {
  const { method, path, operation } = listed;
  const parameters = (operation.parameters ?? [])
    .map((each) => {
      const parameter = parameterOf(document, each);
      const { schema } = resolve(document, parameter.schema);
      return `<tr><td><code>${safe(parameter.name)}</code> <small>${parameter.in}</small></td><td>${safe(typeOf(document, schema, false))}</td><td>${parameter.required ? "yes" : "no"}</td><td>${remarks({ ...schema, description: parameter.description ?? "" })}</td></tr>`;
    })
    .join("");
  const key = keyOf(operation);
  const scopes = (operation.security ?? []).flatMap((each) => Object.values(each).flat());
  const media = Object.values(operation.requestBody?.content ?? {})[0];
  const body = media === undefined ? "" : rowsOf(document, media.schema, "");
  const types = Object.keys(operation.requestBody?.content ?? {})
    .map((type) => `<code>${safe(type)}</code>`)
    .join(", ");
  return `<section class="endpoint" id="${operation.operationId}" data-find="${safe(`${method} ${path} ${operation.summary}`.toLowerCase())}">
<h3><a href="#${operation.operationId}">${safe(operation.summary)}</a></h3>
<p class="line"><span class="method ${method}">${method.toUpperCase()}</span> <code>${safe(path)}</code>${key === null ? "" : ` <span class="key">${[key.word, ...scopes.map(safe)].join(" ")}</span>`}</p>
${operation.description ? `<p>${prose(operation.description)}</p>` : ""}
${codeBlock("Example", curlOf(listed))}
${tryOf(document, listed)}
${fieldTable("Parameters", parameters)}
${body === "" ? "" : fieldTable(`Body, as ${types}`, body)}
<h4>Replies</h4>
${repliesOf(document, operation)}
</section>`;
}

const keyHelp = `<section id="key"><h2>Your key</h2>
<p>Every <span class="key">Api-key</span> endpoint needs an API key of the account: the personal one, which has every right, or one with a name and scopes. It is looked for in this order, and the first place that has one decides:</p>
<ol><li>the header <code>Api-key</code> (recommended)</li><li>the URL parameter <code>api_key</code></li><li>the body field <code>api_key</code>, with POST</li></ol>
<p>Anyone who holds the key can send messages and spend the account's credit, so keep it out of pages, apps and logs.</p>
<p><span class="key">Management</span> endpoints take a management token, in the header <code>Authorization: Bearer</code>, or the session of a user who signed in; the scope beside the word is what a token with scopes needs. <span class="key">Pool key</span> endpoints take the key of a pool, in the header <code>Authorization: Bearer</code>, as OpenAI's clients send it. No key opens them, and no token opens the others.</p>
${tryKeys}</section>`;

const script = docsScript + tryScript;

/** The page, and the policy to send with it. `openapi` is the result of `openapiDocument`; `guides`: the address of the other pages. */
export function docsPage(
  openapi: object,
  guides = "docs/index.html",
): { html: string; contentSecurityPolicy: string } {
  const document = openapi as Document;
  const listed: Listed[] = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    members: listed.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const links = groups
    .map(({ name, members }) => {
      const items = members
        .map(
          ({ method, operation }) =>
            `<li data-find="${safe(`${method} ${operation.summary}`.toLowerCase())}"><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${safe(operation.summary)}</a></li>`,
        )
        .join("");
      return `<h2>${safe(name)}</h2><ul>${items}</ul>`;
    })
    .join("");
  const sections = groups
    .map(
      ({ name, members }) =>
        `<h2>${safe(name)}</h2>${members.map((member) => sectionOf(document, member)).join("")}`,
    )
    .join("");
  const events = eventSections(document.webhooks ?? {}, { safe, prose, codeBlock });
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${safe(document.info.title)} API</title>
<link rel="icon" href="data:,">
<style>${docsStyle}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the endpoints</a>
<header><h1>${safe(document.info.title)} <small>API</small></h1><span><a href="${guides}">Guides</a> · <a href="openapi.json">openapi.json</a></span></header>
<div class="page">
<nav aria-label="Endpoints"><label for="find">Find</label><input id="find" type="search" placeholder="send, cancel, 429 …" autocomplete="off">
<ul><li><a href="#key">Your key</a></li></ul>${links}${events.links}</nav>
<main id="content"><p class="lead">${prose(document.info.description)}</p>
${keyHelp}
${sections}
${events.sections}
<p id="none" role="status" hidden>Nothing here matches that.</p>
</main>
</div>
<script>${script}</script>
</body>
</html>
`;
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${hash(docsStyle)}`,
    `script-src ${hash(script)}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { html, contentSecurityPolicy };
}
