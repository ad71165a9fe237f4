// Every path that the official clients of OpenAI, Anthropic and Google ask for, as their sources name them: it is served, or it is a
// 404 in the shape of that API which says what is there, or a 405 where the path exists with another method.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test, { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { inject } from "../../../inject.ts";
import { type Pooled, pooled } from "../../pooled.ts";

interface Asked {
  method: string;
  path: string;
}

const modules = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

/** The operations in the sources of a client that Stainless generates. */
function generated(folder: string): Asked[] {
  const files = readdirSync(`${modules}${folder}`, { recursive: true, encoding: "utf8" });
  const call = /client\s*\.(\w+)\((?:\(0, \w+\.path\) )?[`'"](\/[^`'"?]+)/g;
  return files
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => [...readFileSync(`${modules}${folder}/${file}`, "utf8").matchAll(call)])
    .map(([, verb = "", path = ""]) => ({
      method: verb === "getAPIList" ? "GET" : verb.toUpperCase(),
      path: path.replaceAll(/\$\{[^}]*\}/g, "x1"),
    }))
    .filter(({ method }) => /^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method));
}

const resources = [
  "batches/x1",
  "cachedContents/x1",
  "files/x1",
  "fileSearchStores/x1",
  "models/x1",
  "tunedModels/x1",
];

/** The operations of Google's client; those of Vertex AI alone have paths that name a project. */
function ofGoogle(): Asked[] {
  const text = readFileSync(`${modules}@google/genai/dist/node/index.mjs`, "utf8");
  const found: Asked[] = [];
  for (const { index, 1: form = "" } of text.matchAll(/formatMap\('([^']+)'/g)) {
    const method = /httpMethod: '(\w+)'/.exec(text.slice(index, index + 3_000))?.[1] ?? "POST";
    const named = form
      .replace(/^\{(?:model|resourceName)\}/, "models/x1")
      .replace("{models_url}", "models")
      .replace("{operationName}", "operations/x1")
      .replace(/\{(?:parent|file_search_store_name)\}/, "fileSearchStores/x1")
      .replace(/(?<=\/)\{(?:name|file)\}/, "x1")
      .replace("{api_version}", "v1beta")
      .replace(/\?.*$/, "");
    // A name says what it is the name of.
    for (const resource of named.startsWith("{name}") ? resources : [""])
      found.push({
        method,
        path: `${named.startsWith("upload/") ? "" : "/v1beta"}/${named.replace("{name}", resource)}`,
      });
  }
  return found;
}

interface Client {
  name: string;
  shape: "OpenAI" | "Anthropic" | "Gemini";
  operations: Asked[];
  headers: Record<string, string>;
  served: readonly string[];
  /** The path exists with another method. */
  otherMethod: Readonly<Record<string, string>>;
}

const clients: readonly Client[] = [
  {
    name: "openai",
    shape: "OpenAI",
    operations: [...generated("openai/resources"), ...generated("openai/lib")].map(({ method, path }) => ({
      method,
      path: `/v1${path}`,
    })),
    headers: {},
    served: [
      "GET /v1/models",
      "GET /v1/models/x1",
      "GET /v1/responses/x1",
      "POST /v1/audio/speech",
      "POST /v1/audio/transcriptions",
      "POST /v1/audio/translations",
      "POST /v1/chat/completions",
      "POST /v1/completions",
      "POST /v1/embeddings",
      "POST /v1/images/edits",
      "POST /v1/images/generations",
      "POST /v1/images/variations",
      "POST /v1/moderations",
      "POST /v1/responses",
      "POST /v1/responses/compact",
      "POST /v1/responses/input_tokens",
      "POST /v1/responses/x1/cancel",
    ],
    otherMethod: {
      "DELETE /v1/models/x1": "GET, HEAD",
      "DELETE /v1/responses/x1": "GET, HEAD",
      "GET /v1/chat/completions": "POST",
    },
  },
  {
    name: "@anthropic-ai/sdk",
    shape: "Anthropic",
    operations: generated("@anthropic-ai/sdk/resources"),
    headers: { "anthropic-version": "2023-06-01" },
    served: ["GET /v1/models", "GET /v1/models/x1", "POST /v1/messages", "POST /v1/messages/count_tokens"],
    otherMethod: {},
  },
  {
    name: "@google/genai",
    shape: "Gemini",
    operations: ofGoogle(),
    headers: {},
    served: [
      "GET /v1beta/models",
      "GET /v1beta/models/x1",
      "POST /v1beta/models/x1:batchEmbedContents",
      "POST /v1beta/models/x1:countTokens",
      "POST /v1beta/models/x1:generateContent",
      "POST /v1beta/models/x1:streamGenerateContent",
    ],
    otherMethod: { "DELETE /v1beta/models/x1": "GET, HEAD", "PATCH /v1beta/models/x1": "GET, HEAD" },
  },
];

let it: Pooled;
before(async () => {
  it = await pooled({ name: "paths", members: [{ name: "one", kind: "sandbox", models: ["x1"] }] });
});
after(() => it?.close());

/** The error's words and the name of its shape. */
function errorIn(body: string): { shape: Client["shape"] | null; message: string; code: unknown } {
  const value = JSON.parse(body);
  const { error = {}, type } = value;
  const shape =
    type === "error"
      ? "Anthropic"
      : typeof error.status === "string"
        ? "Gemini"
        : "param" in error
          ? "OpenAI"
          : null;
  return { shape, message: String(error.message), code: error.code };
}

async function ask({ headers }: Client, { method, path }: Asked) {
  const hasBody = method !== "GET" && method !== "DELETE";
  return await inject(it.it.system.app, {
    method: method as "GET",
    url: `/api/ai${path}`,
    headers: {
      authorization: `Bearer ${it.key}`,
      ...headers,
      ...(hasBody && { "content-type": "application/json" }),
    },
    ...(hasBody && { payload: "{}" }),
  });
}

for (const client of clients) {
  const named = new Map(client.operations.map((one) => [`${one.method} ${one.path}`, one]));
  test(`${client.name}: what is served exists, and its client asks for it`, async () => {
    assert.ok(named.size > 20, `${named.size} operations were found in its sources`);
    for (const name of [...client.served, ...Object.keys(client.otherMethod)])
      assert.ok(named.has(name), `${name} is in no source of the client`);
    for (const name of client.served) {
      const { statusCode, body } = await ask(client, named.get(name)!);
      assert.doesNotMatch(body, /This path is not supported|does not take that method/, name);
      assert.ok([200, 400, 404, 415].includes(statusCode), `${name}: ${statusCode} ${body}`);
    }
  });

  test(`${client.name}: a path with another method is a 405 that names it`, async () => {
    for (const [name, methods] of Object.entries(client.otherMethod)) {
      const { statusCode, body, headers } = await ask(client, named.get(name)!);
      assert.deepEqual([statusCode, headers.allow], [405, methods], name);
      assert.equal(errorIn(body).shape, client.shape, name);
    }
  });

  test(`${client.name}: every other path is a 404 that says what is there`, async () => {
    for (const [name, operation] of named) {
      if (client.served.includes(name) || Object.hasOwn(client.otherMethod, name)) continue;
      const { statusCode, body } = await ask(client, operation);
      assert.equal(statusCode, 404, `${name}: ${body}`);
      const { shape, message } = errorIn(body);
      assert.equal(shape, client.shape, name);
      assert.match(message, /^This path is not supported\. Below \/api\/ai\/v1(?:beta)? there are \//, name);
      for (const served of client.served) {
        const path = served.replace(/^\w+ \/v1(?:beta)?/, "").replace(/\/x1.*$/, "");
        assert.ok(message.includes(path), `${name}: ${path} is not in: ${message}`);
      }
    }
  });
}

test("what is served takes no other method", async () => {
  for (const client of clients)
    for (const name of client.served.filter((one) => one.startsWith("POST ") && !one.includes("x1")))
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        const { statusCode, headers } = await ask(client, { method, path: name.slice("POST ".length) });
        assert.deepEqual([statusCode, headers.allow], [405, "POST"], `${method} ${name}`);
      }
});
