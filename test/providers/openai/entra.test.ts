// Entra ID for Azure: settings that belong together, a grant with every request, and the secret nowhere else.

import assert from "node:assert/strict";
import test from "node:test";
import { AzureOpenAI } from "openai";
import { entraGrant, entraIssues } from "#providers/openai/entra.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { PreparedRequest, VendorRequest } from "#providers/provider.ts";
import { sentRequest } from "#providers/sent-request.ts";
import { requestOf } from "../conformance-cases.ts";
import { vendorDouble } from "../vendor-double.ts";

const entra = {
  tenant_id: "example.onmicrosoft.com",
  client_id: "00000000-1111-2222-3333-444444444444",
  client_secret: "canary~secret.of-the-application",
};
const azure = { vendor: "azure-openai", base_url: "https://mine.openai.azure.com/openai/v1" };
const issuesOf = (more: object) =>
  (openaiCompatible.settings.safeParse(more).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );

test("the settings belong together, are Azure's, and stand in place of a key", () => {
  assert.deepEqual(issuesOf({ ...azure, ...entra }), []);
  const cases: [object, RegExp][] = [
    [{ ...entra }, /tenant_id: is Azure's alone/],
    [{ ...azure, ...entra, api_key: "k" }, /tenant_id: cannot be used together with a key/],
    [{ ...azure, ...entra, api_keys: ["k"] }, /tenant_id: cannot be used together with a key/],
    [{ ...azure, ...entra, client_secret: undefined }, /client_secret: is needed/],
    [{ ...azure, ...entra, client_id: undefined }, /client_id: is needed/],
    [{ ...azure, token_url: "https://x.test/token" }, /tenant_id: is needed/],
    [{ ...azure, ...entra, tenant_id: "../x" }, /tenant_id: must be/],
    [{ ...azure, ...entra, client_id: "me" }, /client_id: must be/],
    [{ ...azure, ...entra, token_url: "https://u:p@x.test" }, /token_url: .*login/],
  ];
  for (const [settings, expected] of cases) {
    const text = issuesOf(settings).join("\n");
    assert.match(text, expected);
    assert.doesNotMatch(text, /canary/);
  }
  assert.deepEqual(entraIssues({}, { isAzure: false, hasKey: true }), []);
  assert.equal(entraGrant({}), null);
});

const settings = openaiCompatible.settings.parse({ ...azure, ...entra });

test("every request has the grant, and neither a key nor the secret", () => {
  const request = requestOf({ messages: [{ role: "user", content: "Hello" }] }, "gpt-5");
  const { text, body, model } = request;
  const ready = (prepared: PreparedRequest | undefined): VendorRequest => {
    assert.ok(prepared?.kind === "request");
    return prepared.request;
  };
  const native = openaiCompatible.native("responses", settings, "m");
  const requests = [
    ready(openaiCompatible.chat(request, settings)),
    ready(openaiCompatible.embeddings(request, settings)),
    ready(openaiCompatible.toolsApi(settings)?.chat(request)),
    ready(native?.prepare({ text, body, model, stream: false, headers: {} })),
    ready(openaiCompatible.forward("moderation", { text, body, model, form: null }, settings)),
    openaiCompatible.check(settings),
  ];
  for (const each of requests) {
    assert.ok(each);
    const { tokenGrant, ...rest } = each;
    assert.deepEqual(tokenGrant, {
      url: "https://login.microsoftonline.com/example.onmicrosoft.com/oauth2/v2.0/token",
      issuer: "Entra ID",
      scope: "https://cognitiveservices.azure.com/.default",
      proof: { clientId: entra.client_id, clientSecret: entra.client_secret },
    });
    assert.doesNotMatch(JSON.stringify(rest), /canary|authorization|api-key/i);
  }
  const keyed = openaiCompatible.settings.parse({ ...azure, api_key: "k" });
  assert.equal(openaiCompatible.check(keyed)?.tokenGrant, undefined);
});

test("the token endpoint is the outbound guard's to judge, beside Azure's address", () => {
  assert.deepEqual(openaiCompatible.urls(settings), [
    azure.base_url,
    "https://login.microsoftonline.com/example.onmicrosoft.com/oauth2/v2.0/token",
  ]);
  const proxied = openaiCompatible.settings.parse({ ...azure, ...entra, token_url: "http://two.test/token" });
  assert.deepEqual(openaiCompatible.urls(proxied), [azure.base_url, "http://two.test/token"]);
});

test("with its token the request is the one that Azure's own client sends", async () => {
  const double = await vendorDouble("{}", "application/json");
  const body = { messages: [{ role: "user" as const, content: "Hello" }] };
  try {
    const root = `${double.origin}/openai/deployments/gpt-4o`;
    const client = new AzureOpenAI({
      baseURL: root,
      apiVersion: "2024-10-21",
      azureADTokenProvider: async () => "t1",
      maxRetries: 0,
    });
    await client.chat.completions.create({ ...body, model: "gpt-4o" });
    const own = openaiCompatible.settings.parse({
      ...azure,
      ...entra,
      base_url: root,
      api_version: "2024-10-21",
    });
    const prepared = openaiCompatible.chat(requestOf(body, "gpt-4o"), own);
    assert.ok(prepared.kind === "request");
    const ours = sentRequest(prepared.request, 0, "t1");
    const sent = double.sent();
    assert.equal(ours.url, `${double.origin}${sent?.path}`);
    assert.deepEqual(JSON.parse(String(ours.body)), sent?.body);
    assert.equal(ours.headers.authorization, sent?.headers.authorization);
    assert.equal(sent?.headers["api-key"], undefined);
  } finally {
    double.close();
  }
});
