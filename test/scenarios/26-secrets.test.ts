// A system is taken through its life with a secret planted in every place where one can come in. None of them may be
// found in what it writes, answers, counts or stores, but where it is meant to be shown, or sealed.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { issueApiKey } from "#configure/account.ts";
import { endpoints } from "#http/endpoints.ts";
import { engines, harness } from "../harness.ts";
import { answeredInTime } from "../http/routes/manage/managed.ts";
import type { InjectOptions } from "../inject.ts";
import { share } from "../runner/share.ts";
import { deferModels } from "./secrets/deferred.ts";
import { groundOf } from "./secrets/left.ts";
import { sendMails } from "./secrets/mail.ts";
import { askModels } from "./secrets/models.ts";
import { signIn } from "./secrets/people.ts";
import { planted, providers, respond, settingsFor, shownToTheirOwner } from "./secrets/planted.ts";
import { canary, createSearch, wild } from "./secrets/search.ts";
import { gatewaysOf, start } from "./secrets/start.ts";
import { Evidence, type Story, storyOf } from "./secrets/story.ts";

const contact = { number: "+4915123456789", message: "Hi" };

/** The channel API with right and wrong keys in every place, and what providers make of the messages. */
async function send({ it, evidence, ask, known }: Story): Promise<void> {
  const url = "/api/sms/send";
  const to = (account: string) =>
    gatewaysOf(account).map((at) => ({ ...contact, gateway_identifier: providers[at] }));
  const json = (payload: object, rest: Partial<InjectOptions> = {}) =>
    ask({ method: "POST", url, payload, ...rest } as InjectOptions);
  const sent = [
    await json(
      { contact: to("acme") },
      {
        headers: {
          "api-key": planted.apiKeyInHeader,
          authorization: planted.authorizationOfChannelCall,
          cookie: `session=${planted.cookieOfChannelCall}`,
        },
      },
    ),
    await json({ contact: to("beta") }, { url: `${url}?api_key=${planted.apiKeyInQuery}` }),
    await json({ contact: to("gamma"), api_key: planted.apiKeyInBody }),
  ];
  for (const reply of sent) assert.equal(reply.statusCode, 200, reply.body);
  known.set("message", sent[0]!.json().data.contact[0].id);
  known.set("request", sent[0]!.json().data.request_id);
  const refused = [
    await json({ contact: [contact] }, { headers: { "api-key": planted.wrongKeyInHeader } }),
    await json({ contact: [contact] }, { url: `${url}?api_key=${planted.wrongKeyInQuery}` }),
    await json({ contact: [contact], api_key: planted.wrongKeyInBody }),
    await ask({
      method: "POST",
      url,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: `api_key=${planted.wrongKeyInForm}&contact[0][number]=1`,
    }),
    await ask({
      method: "POST",
      url,
      headers: { "content-type": "application/json" },
      payload: `{"api_key":"${planted.keyInMalformedBody}","contact":[`,
    }),
    await ask({
      method: "GET",
      url: `/api/nowhere/${planted.keyOfUnknownPath}?api_key=${planted.keyOfUnknownPath}`,
    }),
    await ask({ method: "DELETE", url: `${url}?api_key=${planted.keyOfWrongMethod}` }),
  ];
  assert.deepEqual(
    refused.map(({ statusCode }) => statusCode),
    [403, 403, 403, 403, 403, 404, 405],
  );
  // Retries, probes of paused lanes, and answers in another order each time.
  await it.advance(120_000);
  const list = await ask({
    method: "GET",
    url: "/api/get/sms?limit=200",
    headers: { "api-key": planted.apiKeyInHeader },
  });
  for (const { id } of list.json().data as { id: string }[])
    await ask({ method: "GET", url: `/api/get/sms/${id}`, headers: { "api-key": planted.apiKeyInHeader } });
  for (const key of [planted.apiKeyInQuery, planted.apiKeyInBody]) {
    const page = await ask({ method: "GET", url: `/api/get/sms?limit=200&api_key=${key}` });
    for (const { id } of page.json().data as { id: string }[])
      await ask({ method: "GET", url: `/api/get/sms/${id}?api_key=${key}` });
  }
  it.storageFault("io");
  assert.equal((await json({ contact: [contact], api_key: planted.apiKeyInBody })).statusCode, 503);
  it.storageFault(null);
  evidence.add(
    "requests to customers",
    JSON.stringify(it.requests.filter(({ url }) => url.includes(".customer."))),
    ["webhookUrlPath", "webhookUrlQuery"],
  );
}

/** Providers report back, with the right token and with wrong ones, and say what they know. */
async function hear({ it, ask, known }: Story): Promise<void> {
  const report = (query: string, payload: object, gateway = "ok") =>
    ask({
      method: "POST",
      url: `/callbacks/${gateway}${query}`,
      headers: {
        authorization: `Basic ${Buffer.from(`user:${planted.authorizationOfCallback}`).toString("base64")}`,
        cookie: `session=${planted.authorizationOfCallback}`,
      },
      payload,
    });
  const token = `?token=${planted.callbackToken}`;
  const err = `${planted.gatewayBearer} ${planted.callbackToken} ${planted.gatewayBodyField}`;
  const replies = [
    await report(token, { ref: known.get("message"), state: "UNDELIV", err }),
    await report(token, { id: "of no message", state: "DELIVRD", err: planted.callbackToken }),
    await report(token, { id: "p-1", state: planted.callbackToken, err }),
    await report(token, { nothing: planted.callbackToken }),
    await report(`?token=${planted.wrongCallbackToken}`, { id: "p-1", state: "DELIVRD" }),
    await report(`${token}&token=${planted.wrongCallbackToken}`, {}),
    await report("", { token: planted.wrongCallbackToken }),
    await report(token, {}, "no-such-gateway"),
  ];
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200, 200, 200, 400, 403, 403, 403, 404],
  );
  await it.advance(60_000);
}

/** Gateways, webhooks and keys are changed, and wrong changes refused. */
async function change({ it, ask, evidence, manage, known }: Story): Promise<void> {
  const acme = `/accounts/${known.get("acme")}`;
  const full = settingsFor("s422", 0);
  const settings = { url: "https://s422.provider.test/send", body: { to: "{{to}}", text: "{{message}}" } };
  const gateway = { identifier: "made", channel: "sms", kind: "http-api" };
  const headers = { ...full.headers, "x-api-key": planted.replacedGatewayHeader };
  const input = { ...gateway, settings: { ...full, headers } };
  const made = await manage("POST", `${acme}/gateways`, input);
  assert.equal(made.statusCode, 201, made.body);
  assert.equal(
    (await manage("PATCH", `${acme}/gateways/made`, { settings: { headers: full.headers } })).statusCode,
    200,
  );
  const bad = planted.refusedGatewaySetting;
  const faulty: object[] = [
    { ...gateway, identifier: "bad", settings: { ...settings, from: [bad], timeout_ms: bad } },
    {
      ...gateway,
      identifier: "bad",
      settings: { ...settings, headers: { "x-key": `${bad}\n` }, method: bad },
    },
    {
      ...gateway,
      identifier: "bad",
      settings: { ...settings, url: `https://u:${planted.gatewayUrlPassword}@h.test` },
    },
    { ...gateway, identifier: "bad", kind: "twilio", settings: { auth_token: planted.twilioAuthToken } },
    { ...gateway, identifier: "bad", kind: bad },
  ];
  for (const input of faulty) assert.equal((await manage("POST", `${acme}/gateways`, input)).statusCode, 422);
  for (const name of ["ok", "s401", "s404", "s429", "s500"]) {
    const settings = {
      account_sid: `AC${"0a".repeat(16)}`,
      auth_token: planted.twilioAuthToken,
      from: "+15005550006",
      base_url: `https://${name}.twilio.test`,
    };
    const twilio = { identifier: `twilio-${name}`, channel: "sms", kind: "twilio", settings };
    assert.equal((await manage("POST", `${acme}/gateways`, twilio)).statusCode, 201);
    const asked = manage("POST", `${acme}/gateways/twilio-${name}/test`, { to: contact.number });
    assert.equal((await answeredInTime(it, asked)).statusCode, 200);
  }
  const throughMade = manage("POST", `${acme}/gateways/made/test`, { to: contact.number });
  assert.equal((await answeredInTime(it, throughMade)).statusCode, 200);
  for (const what of ["pause", "resume", "default"])
    assert.equal((await manage("POST", `${acme}/gateways/made/${what}`)).statusCode, 200);
  known.set("gateway", "made");

  const alerts = { name: "alerts", channel: "sms", to: ["+4915123456780"], message: "{{title}}" };
  const madeHook = await manage("POST", `${acme}/hooks`, { ...alerts, key: planted.hookKey });
  assert.equal(madeHook.statusCode, 201, madeHook.body);
  known.set("hook", madeHook.json().data.id);
  for (const [text, status] of [
    [planted.hookKey, 200],
    [planted.wrongHookKey, 401],
  ] as const) {
    const payload = { title: "Hi", password: planted.passwordInHookBody };
    const received = await ask({ method: "POST", url: `/hooks/alerts?key=${text}`, payload });
    assert.equal(received.statusCode, status, received.body);
  }
  const newHookKey = await manage("POST", `${acme}/hooks/${known.get("hook")}/rotate-key`, {}, undefined, [
    "rotatedHookKey",
  ]);
  evidence.learn("rotatedHookKey", newHookKey.json().data.key);

  const hook = "https://hook200.customer.test/made";
  const created = await manage("POST", `${acme}/webhooks`, { url: hook, events: ["*"] }, undefined, [
    "madeWebhookSecret",
  ]);
  evidence.learn("madeWebhookSecret", created.json().data.secret);
  const userinfo = hook.replace("//", `//user:${planted.webhookUrlPassword}@`);
  for (const input of [{ url: userinfo }, { url: `${hook}2`, secret: planted.refusedWebhookSecret }])
    assert.equal((await manage("POST", `${acme}/webhooks`, input)).statusCode, 422);
  const hooks = (await manage("GET", `${acme}/webhooks`, undefined, undefined, [...shownToTheirOwner])).json()
    .data;
  for (const { id, url } of hooks as { id: string; url: string }[]) {
    const path = `${acme}/webhooks/${id}`;
    const shows = [...shownToTheirOwner];
    const secret = planted.webhookSecret;
    assert.equal((await manage("PATCH", path, { secret, active: true }, undefined, shows)).statusCode, 200);
    const event = await manage("POST", `${path}/test`);
    assert.equal(event.statusCode, 200, event.body);
    if (url.includes("hook500")) known.set("webhook", id).set("event", event.json().data.id);
  }
  await it.advance(600_000);
  const rotated = await manage(
    "POST",
    `${acme}/webhooks/${known.get("webhook")}/rotate-secret`,
    undefined,
    undefined,
    [...shownToTheirOwner, "rotatedWebhookSecret"],
  );
  evidence.learn("rotatedWebhookSecret", rotated.json().data.secret);

  // Keys that were replaced are secrets too: they may still work elsewhere.
  const beta = known.get("beta")!;
  evidence.inputs.push(planted.apiKeyBeforeTheLast);
  await issueApiKey(it.system.core, beta, { apiKey: planted.apiKeyBeforeTheLast });
  const renewed = await manage("POST", `/accounts/${beta}/api-key`, undefined, undefined, ["renewedKey"]);
  evidence.learn("renewedKey", renewed.json().data.api_key);
  const fields = { name: "shop", scopes: ["read"] };
  const madeKey = await manage("POST", `${acme}/api-keys`, fields, undefined, ["namedKey"]);
  const named = madeKey.json().data;
  evidence.learn("namedKey", named.key);
  known.set("named key", named.id);
  const path = `${acme}/api-keys/${named.id}/rotate`;
  const again = await manage("POST", path, {}, undefined, ["rotatedNamedKey"]);
  evidence.learn("rotatedNamedKey", again.json().data.key);
  for (const text of [named.key, again.json().data.key])
    for (const [method, url, status] of [
      ["GET", "/api/account", 200],
      ["POST", `/api/sms/send?api_key=${text}`, 403],
    ] as const)
      assert.equal((await ask({ method, url, headers: { "api-key": text } })).statusCode, status);
}

/** What paths with these ends cannot be read without. */
const queries = [
  ["/credit/entries", "?channel=sms"],
  ["/find", "?q=acme"],
] as const;

/** Everything that can be read is read, by the roles that may see most of it. */
async function look({ it, ask, evidence, manage, known }: Story): Promise<void> {
  const metrics = (token: string) =>
    ask({ method: "GET", url: "/metrics", headers: { authorization: `Bearer ${token}` } });
  assert.equal((await metrics(planted.metricsToken)).statusCode, 200);
  assert.equal((await metrics(planted.wrongMetricsToken)).statusCode, 403);
  for (const url of ["/health/live", "/health/ready", "/openapi.json", "/docs"])
    assert.equal((await ask({ method: "GET", url })).statusCode, 200);
  const key = { "api-key": planted.apiKeyInHeader };
  for (const url of ["/api/account", "/api/received/sms"])
    assert.equal((await ask({ method: "GET", url, headers: key })).statusCode, 200);
  const read = endpoints.filter(
    // A stream of events has no end to wait for.
    ({ head: { family, method, replyType } }) =>
      family === "manage" && method === "GET" && replyType !== "text/event-stream",
  );
  for (const { head } of read) {
    const path = head.path.slice("/api/manage/v1".length).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      // Two kinds of things are called keys.
      const thing = name === "key" && head.path.includes("/api-keys/") ? "named key" : name;
      assert.ok(known.has(thing), `${head.path}: a ${thing} has to be made above`);
      return known.get(thing)!;
    });
    const shows = /\/webhooks(\/\{webhook\})?$/.test(head.path) ? [...shownToTheirOwner] : [];
    const query = queries.find(([end]) => head.path.endsWith(end))?.[1] ?? "";
    const reply = await manage("GET", `${path}${query}`, undefined, undefined, shows);
    // The gateway of this story is of a kind without a device, and its message is no mail.
    const missing = /\/(link|html|text)$/.test(head.path) ? 404 : 200;
    // The command line's alone.
    const status = head.path.endsWith("/provisioning") ? 403 : missing;
    assert.equal(reply.statusCode, status, `${head.path} ${reply.body}`);
  }
  evidence.add("the export", JSON.stringify(await it.system.core.provisioning.export()));
  const acme = `/accounts/${known.get("acme")}`;
  for (const account of ["acme", "beta", "gamma"]) {
    await manage("GET", `/accounts/${known.get(account)}/gateways`);
    const messages = await manage("GET", `/accounts/${known.get(account)}/messages?limit=200`);
    for (const { id } of messages.json().data as { id: string }[])
      await manage("GET", `/accounts/${known.get(account)}/messages/${id}`);
  }
  const hooks = (await manage("GET", `${acme}/webhooks`, undefined, undefined, [...shownToTheirOwner])).json()
    .data;
  for (const { id } of hooks as { id: string }[]) {
    const deliveries = (await manage("GET", `${acme}/webhooks/${id}/deliveries?limit=100`)).json().data;
    for (const { id: event } of (deliveries as { id: string }[]).slice(0, 20))
      await manage("GET", `${acme}/webhooks/${id}/deliveries/${event}`);
  }
  await manage("GET", "/audit?limit=200");
}

test("forty secrets and more have a place each, and the search sees them in every form, and in pieces", () => {
  const names = Object.keys(planted);
  assert.ok(names.length >= 40, `${names.length}`);
  assert.equal(new Set(Object.values(planted)).size, names.length);
  const search = createSearch(new Map(Object.entries(planted)));
  for (const [name, secret] of Object.entries(planted)) {
    const bytes = Buffer.from(secret);
    for (const text of [
      secret,
      `${encodeURIComponent(secret)}&`,
      `(${new URLSearchParams({ secret })})`,
      JSON.stringify(JSON.stringify({ secret })),
      bytes.toString("base64"),
      `Basic ${Buffer.from(`user:${secret}`).toString("base64")}`,
      Buffer.from(`Bearer ${secret} `).toString("base64url"),
      `\\x${bytes.toString("hex")}`,
      bytes.toString("hex").toUpperCase(),
    ])
      assert.deepEqual(
        search(text).map((hit) => hit.name),
        [name],
        text,
      );
  }
  for (const text of [canary("one"), wild("two")]) assert.deepEqual(search(text), []);
  const half = planted.gatewayBearer;
  assert.equal(search(`${half.slice(0, 9)}…`)[0]?.name, "gatewayBearer");
  assert.equal(search(`…${half.slice(-9)}`)[0]?.name, "gatewayBearer");
});

// What is written differs by engine only in the store's own files.
for (const engine of share(
  "secrets",
  ["src/store/", "src/settings/", "test/scenarios/26-", "test/scenarios/secrets/"],
  engines,
)) {
  // It reads every file of the database for each form of forty secrets: on PostgreSQL 40 to 160 s, by the machine.
  test(`on ${engine} no secret is found in logs, answers, metrics, the database or its files`, {
    timeout: 900_000,
  }, async () => {
    const ground = await groundOf(engine);
    const folder = mkdtempSync(join(tmpdir(), "trunkline-secrets-file-"));
    const evidence = new Evidence();
    const { masterKey, metricsToken } = planted;
    const it = await harness({
      ground,
      respond,
      allow: "127.0.0.0/8",
      settings: { masterKey, metricsToken },
    });
    const keep = async (only = "") => {
      for (const { place, text } of (await ground.left()).filter((each) => each.place.startsWith(only)))
        evidence.add(place, text);
    };
    try {
      evidence.inputs.push(ground.databaseUrl, masterKey, metricsToken);
      const story = storyOf(it, evidence);
      await start(story, folder);
      for (const chapter of [send, hear, signIn, askModels, deferModels, sendMails, change, look])
        await chapter(story);
      // With the write-ahead log, and without it.
      await keep();
      await it.close();
      await keep("file ");
    } finally {
      await it.close();
      await ground.remove();
      rmSync(folder, { recursive: true, force: true });
    }
    evidence.add("the log", it.log.text());

    assert.deepEqual(evidence.unplanted(), []);
    const places = new Set(evidence.found.map(({ place }) => place));
    for (const column of [
      "gateways.settings",
      "webhook_endpoints.secret",
      "webhook_endpoints.url",
      "dkim_keys.private_key",
      "deferred_completions.request",
      "deferred_completions.result",
      "audit_entries.detail",
      "users.password",
    ])
      assert.ok(places.has(column), column);
    const levels = new Set(it.log.lines().map(({ level }) => level));
    for (const level of ["info", "warn", "error"]) assert.ok(levels.has(level), level);
    assert.deepEqual(evidence.leaks(), []);
  });
}
