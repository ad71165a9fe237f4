// WhatsApp through Meta's Cloud API, played by the simulator over real HTTP: from the request to the last webhook.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { whatsappRecord } from "#contract/messages/record.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import {
  type GraphSimulator,
  graphSimulator,
  phoneNumberId,
  token,
} from "../gateways/whatsapp/graph-simulator.ts";
import { appSecret, callOf, change, signatureOf, verifyToken } from "../gateways/whatsapp/meta-callbacks.ts";
import { type Harness, harness } from "../harness.ts";
import { inject } from "../inject.ts";

const allow = "127.0.0.0/8";
const outbound = createOutbound({ allow: readAllowList(allow) });
let graph: GraphSimulator;
let it: Harness;
before(async () => {
  graph = await graphSimulator();
  it = await harness({ allow, respond: (request) => outbound.request(request) });
  await it.account({ plan: { name: "basic", credit: { whatsapp: 100 } } });
  await it.gateway({
    identifier: "cloud",
    channel: "whatsapp",
    kind: "whatsapp-cloud",
    default: true,
    pace: { per_second: 1000 },
    settings: {
      phone_number_id: phoneNumberId,
      access_token: token,
      base_url: graph.url,
      app_secret: appSecret,
      verify_token: verifyToken,
    },
  });
});
after(async () => {
  await it?.close();
  await outbound.close();
  await graph?.close();
});

const number = "+15550000001";

async function accepted(contact: object[], path = "/api/whatsapp/send"): Promise<string[]> {
  const reply = await it.post(path, { contact });
  assert.equal(reply.statusCode, 200, reply.body);
  return (reply.json().data.contact as { id: string }[]).map(({ id }) => id);
}

const record = async (id: string) =>
  whatsappRecord.parse((await it.get(`/api/get/whatsapp/${id}`)).json().data);

/** The records once none of them is on its way any more. */
async function settled(ids: readonly string[]) {
  for (;;) {
    // The pace lets one message out in each of these milliseconds.
    await it.advance(10);
    const records = await Promise.all(ids.map(record));
    if (records.every(({ status }) => status !== "sending")) return records;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a text, a template and a list reach Meta", async () => {
  const template = { name: "order", language: "de", parameters: ["Ada"] };
  const sections = [{ rows: [{ id: "morning", title: "Morning" }] }];
  const ids = [
    ...(await accepted([
      { number, message: "Hi" },
      { number, message: "Hello Ada", template },
    ])),
    ...(await accepted(
      [{ number, message: "When?", button: "Choose", sections }],
      "/api/whatsapp/send-list",
    )),
  ];
  const records = await settled(ids);
  assert.deepEqual(
    records.map(({ status }) => status),
    ["sent", "sent", "sent"],
  );
  const types = new Map(graph.taken.map(({ body }) => [body.biz_opaque_callback_data, body.type]));
  assert.deepEqual(
    ids.map((id) => types.get(id)),
    ["text", "template", "interactive"],
  );
  const { remaining } = (await it.get("/api/account")).json().data.credit.whatsapp;
  assert.equal(remaining, 97);
});

test("a refused message fails with Meta's code and gives its credit back; a busy recipient stops no other recipient", async () => {
  graph.failNext({ status: 400, code: 131026 });
  const [refused] = await settled(await accepted([{ number, message: "No" }]));
  assert.deepEqual([refused?.status, refused?.error?.code], ["failed", "131026"]);
  graph.failNext({ status: 400, code: 131056 });
  const [busy] = await settled(await accepted([{ number, message: "Again" }]));
  assert.deepEqual([busy?.status, busy?.error?.code], ["queued", "131056"]);
  const [other] = await settled(await accepted([{ number: "+15550000002", message: "Hi" }]));
  assert.equal(other?.status, "sent");
  await it.advance(60_000);
  const [later] = await settled([busy?.id ?? ""]);
  assert.equal(later?.status, "sent");
});

const call = (payload: Buffer, signature = signatureOf(payload)) =>
  inject(it.system.app, {
    method: "POST",
    url: "/callbacks/cloud",
    payload,
    headers: { "content-type": "application/json", "x-hub-signature-256": signature },
  });
const wamidOf = (id: string) =>
  graph.taken.find(({ body }) => body.biz_opaque_callback_data === id)?.wamid ?? "";

test("Meta verifies the callback URL, and hears nothing without the verify token", async () => {
  const handshake = (word: string) =>
    inject(it.system.app, {
      method: "GET",
      url: `/callbacks/cloud?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${word}`,
    });
  const right = await handshake(verifyToken);
  assert.deepEqual([right.statusCode, right.body], [200, "1158201444"]);
  assert.equal((await handshake("guess")).statusCode, 403);
});

test("one call with statuses in any order, twice over, and about strangers: messages only move forward", async () => {
  const ids = await accepted([1, 2, 3].map((i) => ({ number: `+1555000100${i}`, message: "Hi" })));
  await settled(ids);
  const [first = "", second = "", third = ""] = ids;
  const status = (id: string, word: string, more: object = {}) => ({
    id: wamidOf(id),
    status: word,
    timestamp: "1750263773",
    ...more,
  });
  const late = { errors: [{ code: 131026, title: "Message undeliverable" }] };
  const statuses = [
    status(first, "read"),
    status(first, "delivered"),
    status(first, "failed", late),
    status(second, "failed", late),
    status(second, "sent"),
    status(third, "delivered"),
    { id: "wamid.stranger", status: "delivered" },
    { id: wamidOf(third), status: "invented" },
  ];
  const body = callOf(
    ...statuses.map((one) => change({ statuses: [one] })),
    change({ statuses: [status(third, "read")] }, "999"),
  );
  assert.equal((await call(body, signatureOf(body, "another-secret"))).statusCode, 403);
  assert.equal((await record(first)).status, "sent");
  for (let i = 0; i < 2; i++) assert.equal((await call(body)).statusCode, 200);
  const records = await Promise.all(ids.map(record));
  assert.deepEqual(
    records.map(({ status: word, error }) => [word, error?.code ?? null]),
    [
      ["read", null],
      ["undelivered", "131026"],
      ["delivered", null],
    ],
  );
  const metrics = (await it.get("/metrics")).body;
  assert.match(metrics, /callback_updates_ignored_total\{gateway="cloud",why="other_number"\} 2/);
  assert.match(metrics, /callback_updates_ignored_total\{gateway="cloud",why="unknown"\} 2/);
});

test("an answer that was lost is settled by a status with our id", async () => {
  graph.failNext(null);
  const [lost] = await settled(await accepted([{ number, message: "Hi" }]));
  assert.equal(lost?.status, "unknown");
  const one = { id: wamidOf(lost?.id ?? ""), status: "delivered", biz_opaque_callback_data: lost?.id };
  assert.equal((await call(callOf(change({ statuses: [one] })))).statusCode, 200);
  const settledLater = await record(lost?.id ?? "");
  assert.deepEqual([settledLater.status, settledLater.provider_reference], ["delivered", one.id]);
});

test("a thousand messages from people are one call; a repeat stores none of them again", async () => {
  const messages = Array.from({ length: 1000 }, (_, i) => ({
    id: `wamid.in${i}`,
    from: `1555100${String(i).padStart(4, "0")}`,
    timestamp: "1750263773",
    type: "text",
    text: { body: `${i} ${"x".repeat(2000)}` },
  }));
  const body = callOf(change({ messages }));
  assert.ok(body.length > 2 * 1024 * 1024);
  for (let i = 0; i < 2; i++) assert.equal((await call(body)).statusCode, 200);
  const seen = new Set<string>();
  for (let cursor = ""; ; ) {
    const page = (await it.get(`/api/received/whatsapp?limit=200${cursor}`)).json();
    for (const { from } of page.data as { from: string }[]) seen.add(from);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  assert.equal(seen.size, 1000);
});

test("of the opt-out and opt-in words in one call the last one counts", async () => {
  const replies = (from: string, words: string[]) =>
    words.map((body, i) => ({
      id: `wamid.${from}.${i}`,
      from,
      timestamp: "1750263773",
      type: "text",
      text: { body },
    }));
  const messages = [
    ...replies("15550002001", ["stop", "Hi", "start", "stop", "start"]),
    ...replies("15550002002", ["start", "stop", "start", "Hi", "stop"]),
  ];
  assert.equal((await call(callOf(change({ messages })))).statusCode, 200);
  const ids = await accepted(
    ["+15550002001", "+15550002002"].map((to) => ({ number: to, message: "Hello" })),
  );
  assert.deepEqual(
    (await settled(ids)).map(({ status }) => status),
    ["sent", "suppressed"],
  );
});

test("a row that was chosen is a reply to the list, with its id", async () => {
  const sections = [{ rows: [{ id: "morning", title: "Morning" }] }];
  const [list = ""] = await accepted(
    [{ number, message: "When?", button: "Choose", sections }],
    "/api/whatsapp/send-list",
  );
  await settled([list]);
  const chosen = {
    id: "wamid.choice",
    from: number.slice(1),
    from_user_id: "US.1349",
    timestamp: "1750263773",
    type: "interactive",
    interactive: { type: "list_reply", list_reply: { id: "morning", title: "Morning" } },
    context: { from: "15550783881", id: wamidOf(list) },
  };
  const contacts = [{ profile: { name: "Ada" }, wa_id: number.slice(1) }];
  assert.equal((await call(callOf(change({ contacts, messages: [chosen] })))).statusCode, 200);
  const [received] = (await it.get("/api/received/whatsapp?limit=1")).json().data;
  const { from, message, in_reply_to, type, reply, profile_name, user_id, forwarded } = received;
  assert.deepEqual(
    { from, message, in_reply_to, type, reply, profile_name, user_id, forwarded },
    {
      from: number,
      message: "Morning",
      in_reply_to: list,
      type: "interactive",
      reply: { type: "list", id: "morning", title: "Morning", description: null },
      profile_name: "Ada",
      user_id: "US.1349",
      forwarded: false,
    },
  );
});

test("a text that Meta refuses after it took it goes out as the template, once", async () => {
  await it.gateway({
    identifier: "window",
    channel: "whatsapp",
    kind: "whatsapp-cloud",
    pace: { per_second: 1000 },
    settings: {
      phone_number_id: phoneNumberId,
      access_token: token,
      base_url: graph.url,
      app_secret: appSecret,
      verify_token: verifyToken,
      outside_window: "template",
      template: { name: "hello_again", language: "en_US", parameters: ["{{message}}"] },
    },
  });
  const window = "+15550002001";
  const tell = async (updates: Parameters<typeof change>[0]) => {
    const payload = callOf(change(updates));
    const headers = { "content-type": "application/json", "x-hub-signature-256": signatureOf(payload) };
    const reply = await inject(it.system.app, {
      method: "POST",
      url: "/callbacks/window",
      payload,
      headers,
    });
    assert.equal(reply.statusCode, 200);
  };
  // By our clock the window is open, and by Meta's it is not.
  const timestamp = String(Math.floor(it.clock.now() / 1000) - 86_000);
  await tell({
    messages: [{ id: "wamid.w", from: window.slice(1), timestamp, type: "text", text: { body: "Hi" } }],
  });
  const [id = ""] = await accepted([{ number: window, message: "Your table", gateway_identifier: "window" }]);
  await settled([id]);
  const typesSent = () =>
    graph.taken.flatMap(({ body }) => (body.biz_opaque_callback_data === id ? [body.type] : []));
  assert.deepEqual(typesSent(), ["text"]);
  const wamids = () =>
    graph.taken.flatMap(({ body, wamid }) => (body.biz_opaque_callback_data === id ? [wamid] : []));
  const late = (wamid: string | undefined) =>
    tell({
      statuses: [
        {
          id: wamid ?? "",
          status: "failed",
          biz_opaque_callback_data: id,
          errors: [{ code: 131047, title: "Closed" }],
        },
      ],
    });
  await late(wamids()[0]);
  const [again] = await settled([id]);
  assert.deepEqual([again?.status, typesSent()], ["sent", ["text", "template"]]);
  assert.equal(again?.provider_reference, wamids()[1]);
  // The same report again, and one about the template.
  await late(wamids()[0]);
  assert.equal((await record(id)).status, "sent");
  await late(wamids()[1]);
  const end = await record(id);
  assert.deepEqual([end.status, end.error?.code, typesSent().length], ["undelivered", "131047", 2]);
  // What Meta knows of the window counts from then on.
  const [next = ""] = await accepted([{ number: window, message: "Later", gateway_identifier: "window" }]);
  await settled([next]);
  assert.equal(graph.taken.at(-1)?.body.type, "template");
  assert.deepEqual(
    end.events?.map(({ type }) => type),
    ["queued", "sending", "sent", "queued", "sending", "sent", "undelivered"],
  );
  // The report comes before the answer that has the message's id.
  const other = "+15550002077";
  await tell({
    messages: [{ id: "wamid.o", from: other.slice(1), timestamp, type: "text", text: { body: "Hi" } }],
  });
  graph.beforeAnswer(async ({ wamid, body }) => {
    const errors = [{ code: 131047, title: "Closed" }];
    const { biz_opaque_callback_data } = body as { biz_opaque_callback_data: string };
    await tell({ statuses: [{ id: wamid, status: "failed", biz_opaque_callback_data, errors }] });
  });
  const contact = [{ number: other, message: "Your table", gateway_identifier: "window" }];
  const [overtaken = ""] = await accepted(contact);
  // Due at once: its lane does not have to look for it.
  for (let i = 0; i < 20 && (await record(overtaken)).status !== "sent"; i++) await settled([overtaken]);
  assert.deepEqual(
    (await record(overtaken)).events?.map(({ type }) => type),
    ["queued", "sending", "sent", "queued", "sending", "sent"],
  );
  assert.equal(graph.taken.at(-1)?.body.type, "template");
});
