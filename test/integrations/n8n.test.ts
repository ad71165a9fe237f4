// The nodes for n8n, against a whole system: what they send and look up, and the trigger with what the system posts to it.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import type { OutboundRequest } from "#runtime/runtime.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { type Pooled, pooled } from "../http/pooled.ts";
import { type Json, openPackage, request } from "./n8n.ts";

const nodes = openPackage(after);
const hook = "https://n8n.example.com/webhook/11111111-2222-4333-8444-555555555555/webhook";
/** How long ago the system is, so that what it posts first is too old. */
const behindMs = 600_000;
const channels = ["sms", "whatsapp", "email"] as const;

let own: Pooled;
let credentials: Record<string, Json>;
/** What was posted to the trigger's address and was not yet taken. */
let posts: OutboundRequest[] = [];

before(async () => {
  const members = [{ name: "echo", kind: "sandbox", models: ["echo"] }];
  const input = { name: "default", members, keys: [] } as never;
  own = await pooled(input, { clock: movableClock(Date.now() - behindMs) });
  const { it, accountId, port } = own;
  const poolApiKey = await own.pool({ name: "default", members } as never);
  const account = await it.account();
  for (const channel of channels)
    await it.gateway({ identifier: `${channel}-main`, channel, kind: "sandbox", default: true });
  it.respond((asked) => {
    assert.equal(asked.url, hook);
    posts.push(asked);
    return { kind: "answer", status: 200, headers: {}, body: Buffer.alloc(0) };
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const managementToken = await tokenFor(it, accountId, ["webhooks:write"]);
  credentials = {
    trunklineApi: { baseUrl: `${baseUrl}/`, apiKey: account.key, poolApiKey },
    trunklineManagementApi: { baseUrl, managementToken, account: "acme" },
  };
});
after(() => own?.close());

const typeOf = { trunklineApi: "TrunklineApi", trunklineManagementApi: "TrunklineManagementApi" } as const;

/** What n8n gives a node. `kept` is the workflow's static data. */
function context(parameters: Json, { continues = false, run = 0, items = 1, kept = {} as Json } = {}) {
  return {
    getInputData: () => Array.from({ length: items }, () => ({ json: {} })),
    getNodeParameter: (name: string) => parameters[name],
    getCredentials: async (name: string) => credentials[name],
    getNode: () => ({ id: "node-1", name: "Trunkline" }),
    getWorkflow: () => ({ id: "workflow-1" }),
    getExecutionId: () => "7",
    evaluateExpression: () => run,
    continueOnFail: () => continues,
    getNodeWebhookUrl: () => hook,
    getWorkflowStaticData: () => kept,
    helpers: {
      httpRequestWithAuthentication: (name: keyof typeof typeOf, asked: Json) =>
        request(nodes.credential(typeOf[name]), credentials[name] ?? {}, asked),
      returnJsonArray: (json: Json) => [{ json }],
    },
  };
}

/** The first item that the node gives out. */
async function run(parameters: Json, options?: Parameters<typeof context>[1]): Promise<Json> {
  const output = await nodes.node("Trunkline").execute.call(context({ options: {}, ...parameters }, options));
  return (output as [{ json: Json }[]])[0][0]?.json ?? {};
}

const sends = {
  sms: { operation: "sendSms", number: "+15550000001" },
  whatsapp: { operation: "sendWhatsapp", number: "+15550000001" },
  email: { operation: "sendEmail", email: "ada@example.net", subject: "Hello" },
};

for (const channel of channels)
  test(`it sends ${channel}, once for all attempts of an item, and looks it up`, async () => {
    const options = { reference: "order-1", gateway_identifier: `${channel}-main`, schedule_at: "" };
    const message = { resource: "message", ...sends[channel], message: `Hello by ${channel}`, options };
    const sent = await run(message);
    assert.match(String(sent.id), /^msg_/);
    assert.equal(sent.channel, channel);
    assert.equal((await run(message)).id, sent.id);
    assert.notEqual((await run(message, { run: 1 })).id, sent.id);
    assert.notEqual((await run({ ...message, message: "Another text" })).id, sent.id);
    const record = await run({ resource: "message", operation: "get", channel, messageId: sent.id });
    assert.deepEqual(
      [record.message, record.reference, record.gateway_identifier],
      [`Hello by ${channel}`, "order-1", `${channel}-main`],
    );
  });

test("it asks a pool with the pool's key", async () => {
  const options = { system: "Be brief.", max_tokens: 50 };
  const answer = await run({
    resource: "ai",
    operation: "ask",
    model: "echo",
    prompt: "Hello pool",
    options,
  });
  assert.match(String(answer.text), /Hello pool/);
  assert.equal(answer.finish_reason, "stop");
});

test("it says what Trunkline says of a refusal, and goes on where the node is set so", async () => {
  const wrong = { resource: "message", operation: "sendSms", number: "1", message: "Hello" };
  await assert.rejects(run(wrong), { name: "NodeApiError", message: /number/i, httpCode: "422" });
  assert.match(String((await run(wrong, { continues: true })).error), /number/i);
  const list = { resource: "message", operation: "get", channel: "sms", messageId: "" };
  await assert.rejects(run(list), { name: "NodeOperationError", message: /not the ID/ });
  await assert.rejects(run({ resource: "message", operation: "toString" }), /no operation/);
});

test("each half of the API gets its own key, and a redirect gets none", async (context) => {
  const seen: (string | undefined)[][] = [];
  const server = createServer(({ url = "", headers }, response) => {
    seen.push([url, headers["api-key"] as string | undefined, headers.authorization]);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  context.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const own = credentials.trunklineApi ?? {};
  credentials.trunklineApi = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}//`,
    apiKey: "tl_1",
    poolApiKey: "tlp_1",
  };
  const look = { resource: "message", operation: "get", channel: "sms", messageId: "msg_1" };
  const question = { resource: "ai", operation: "ask", model: "echo", prompt: "Hello" };
  await assert.rejects(run(look), { httpCode: "307" });
  await assert.rejects(run(question), { httpCode: "307" });
  credentials.trunklineApi = own;
  assert.deepEqual(seen, [
    ["/api/get/sms/msg_1", "tl_1", undefined],
    ["/api/ai/v1/chat/completions", undefined, "Bearer tlp_1"],
  ]);
});

/** The trigger, with its static data, as a workflow that stays. */
function workflow(events: string[], ignoreRepeated = true) {
  const kept: Json = {};
  const trigger = nodes.node("TrunklineTrigger");
  const method = (name: "checkExists" | "create" | "delete") =>
    trigger.webhookMethods.default[name].call(context({ events }, { kept }));
  /**
   * The status with which a post is refused, or the event that starts the workflow; null: neither. `answered`: the status with which n8n
   * answers otherwise.
   */
  const take = async (headers: Json, body: string, answered = 200): Promise<number | Json | null> => {
    const response = Object.assign(new EventEmitter(), {
      statusCode: answered,
      status(code: number) {
        this.statusCode = code;
        return { json: () => {} };
      },
    });
    const result = (await trigger.webhook.call({
      ...context({ events, ignoreRepeated }, { kept }),
      getRequestObject: () => ({ rawBody: Buffer.from(body) }),
      getResponseObject: () => response,
      getHeaderData: () => headers,
      getBodyData: () => JSON.parse(body),
    })) as { workflowData?: { json: Json }[][]; noWebhookResponse?: boolean };
    response.emit("finish");
    return result.noWebhookResponse ? response.statusCode : (result.workflowData?.[0]?.[0]?.json ?? null);
  };
  return { kept, method, take };
}

/** The next post to the trigger of a type. */
async function post(type: string): Promise<{ headers: Record<string, string>; body: string }> {
  await own.it.accepted([{ number: "+15550000001", message: "Hello" }]);
  await own.it.settle();
  const found = posts.find(({ body }) => String(body).includes(`"type":"${type}"`));
  assert.ok(found, type);
  posts = [];
  return {
    headers: Object.fromEntries(
      Object.entries(found.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body: String(found.body),
  };
}

test("the trigger registers its endpoint, starts with genuine and new events alone, and removes it", async () => {
  const { kept, method, take } = workflow(["message.*"]);
  assert.equal(await method("checkExists"), false);
  assert.equal(await method("create"), true);
  assert.equal(await method("checkExists"), true);

  const old = await post("message.sent");
  assert.equal(await take(old.headers, old.body), 401);
  await own.it.advance(behindMs);
  const { headers, body } = await post("message.sent");
  const forged: Record<string, string>[] = [
    {},
    { ...headers, "webhook-id": "evt_1" },
    { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) },
    { ...headers, "webhook-signature": "v1,é" },
    { ...headers, "webhook-signature": "" },
  ];
  for (const each of forged) assert.equal(await take(each, body), 401);
  assert.equal(await take(headers, `${body} `), 401);
  // An event with which n8n could not start the workflow comes again.
  for (const answered of [500, 200]) {
    const started = (await take(headers, body, answered)) as Json;
    assert.deepEqual([started.id, started.type], [headers["webhook-id"], "message.sent"]);
  }
  assert.equal(await take(headers, body), null);
  assert.equal(await workflow([]).take(headers, body), 401);

  const { webhookId } = kept;
  assert.equal(await method("delete"), true);
  assert.deepEqual([kept.webhookId, kept.secret], [undefined, undefined]);
  assert.equal(await take(headers, body), 401);
  const gone = workflow(["message.*"]);
  Object.assign(gone.kept, { webhookId, secret: "whsec_AAAA" });
  assert.equal(await gone.method("checkExists"), false);
  assert.equal(await gone.method("delete"), true);
});

test("events that the workflow did not ask for do not start it, and repeated ones do where it is set so", async () => {
  const { kept, method, take } = workflow(["message.delivered", "message.sent"], false);
  await method("create");
  const { headers, body } = await post("message.sent");
  assert.notEqual(await take(headers, body), null);
  assert.notEqual(await take(headers, body), null);
  const narrower = workflow(["message.delivered", "gateway.*"]);
  Object.assign(narrower.kept, kept);
  assert.equal(await narrower.take(headers, body), null);
  const path = `/accounts/${own.accountId}/webhooks/${kept.webhookId}/test`;
  const token = String(credentials.trunklineManagementApi?.managementToken);
  assert.equal((await manage(own.it, "POST", path, { headers: bearer(token) })).statusCode, 200);
  const asked = await post("webhook.test");
  assert.equal(((await narrower.take(asked.headers, asked.body)) as Json).type, "webhook.test");
  // The endpoint then asks for what the workflow asks for now.
  assert.equal(await narrower.method("checkExists"), true);
  await method("delete");
});

test("an endpoint that an ended process left is replaced by one whose secret is known", async () => {
  const left = workflow(["*"]);
  await left.method("create");
  const next = workflow(["*"]);
  assert.equal(await next.method("checkExists"), false);
  assert.equal(await next.method("create"), true);
  const { headers, body } = await post("message.sent");
  assert.equal(await left.take(headers, body), 401);
  assert.notEqual(await next.take(headers, body), 401);
  await next.method("delete");
});

test("the list of events is Trunkline's own, with families", async () => {
  const { getEvents } = nodes.node("TrunklineTrigger").methods.loadOptions;
  const options = (await getEvents.call(context({}))) as { value: string }[];
  const values = options.map(({ value }) => value);
  for (const value of ["*", "message.*", "message.received", "gateway.*", "completion.done"])
    assert.ok(values.includes(value), value);
  assert.deepEqual(
    values.filter((value) => value.startsWith("webhook.")),
    [],
  );
});
