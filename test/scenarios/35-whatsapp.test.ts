// WhatsApp messages of every content, from the request to the last webhook.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { whatsappRecord } from "#contract/messages/record.ts";
import { whatsappSendReply } from "#contract/replies.ts";
import { type Harness, harness } from "../harness.ts";

let it: Harness;
before(async () => {
  it = await harness();
  await it.account({ plan: { name: "basic", credit: { whatsapp: 3 } } });
  await it.gateway({ identifier: "box", channel: "whatsapp", default: true });
});
after(() => it?.close());

const number = "+15550000001";
const sections = [
  {
    title: null,
    rows: [
      { id: "morning", title: "Morning", description: null },
      { id: "evening", title: "Evening", description: "After six" },
    ],
  },
];
const file = {
  media: "document",
  url: "https://cdn.example.com/invoice.pdf?token=x",
  filename: "invoice.pdf",
};

async function send(contact: object[], path = "/api/whatsapp/send", headers: Record<string, string> = {}) {
  const reply = await it.post(path, { contact }, headers);
  assert.equal(reply.statusCode, 200, reply.body);
  return { ...whatsappSendReply.parse(reply.json()), headers: reply.headers };
}

const record = async (id: string) =>
  whatsappRecord.parse((await it.get(`/api/get/whatsapp/${id}`)).json().data);

test("a text, a file, a template and a list are delivered and looked up", async () => {
  const template = { name: "order", language: "de", parameters: ["Ada"] };
  const { data, message } = await send([
    { number, message: "Hi" },
    { number, message: "Your invoice", ...file },
    { number, message: "Hello Ada", template },
  ]);
  assert.equal(message, "WhatsApp messages have been queued.");
  const list = await send(
    [{ number, message: "When?", button: "Choose", sections }],
    "/api/whatsapp/send-list",
  );
  await it.settle();
  const nothing = { media: null, url: null, filename: null, list: null, template: null };
  const expected = [
    { message: "Hi", ...nothing },
    { message: "Your invoice", ...nothing, ...file },
    { message: "Hello Ada", ...nothing, template: { ...template, components: null } },
    { message: "When?", ...nothing, list: { header: null, footer: null, button: "Choose", sections } },
  ];
  const ids = [...data.contact, ...list.data.contact].map(({ id }) => id);
  for (const [at, id] of ids.entries()) {
    const { message: text, media, url, filename, list: shown, template: call, ...rest } = await record(id);
    assert.deepEqual({ message: text, media, url, filename, list: shown, template: call }, expected[at]);
    assert.deepEqual([rest.channel, rest.status, rest.test], ["whatsapp", "delivered", true]);
  }
  const page = (await it.get("/api/get/whatsapp")).json().data as { id: string }[];
  assert.deepEqual(page.map(({ id }) => id).sort(), [...ids].sort());
});

test("a form says the same as JSON", async () => {
  const fields = {
    "contact[0][number]": number,
    "contact[0][message]": "When?",
    "contact[0][button]": "Choose",
    "contact[0][sections][0][rows][0][id]": "a",
    "contact[0][sections][0][rows][0][title]": "A",
  };
  const reply = await it.post("/api/whatsapp/send-list", new URLSearchParams(fields).toString(), {
    "content-type": "application/x-www-form-urlencoded",
  });
  assert.equal(reply.statusCode, 200, reply.body);
  const { list } = await record(reply.json().data.contact[0].id);
  assert.deepEqual(list?.sections, [{ title: null, rows: [{ id: "a", title: "A", description: null }] }]);
});

test("a repeated key gives the first reply, and another file is another request", async () => {
  const key = { "idempotency-key": "w-1" };
  const first = await send([{ number, message: "Your invoice", ...file }], undefined, key);
  const again = await send([{ number, message: "Your invoice", ...file }], undefined, key);
  assert.deepEqual(again.data, first.data);
  assert.equal(again.headers["idempotent-replayed"], "true");
  const other = { number, message: "Your invoice", ...file, url: "https://cdn.example.com/other.pdf" };
  const reply = await it.post("/api/whatsapp/send", { contact: [other] }, key);
  assert.equal(reply.statusCode, 422);
});

test("a scheduled file waits, and is cancelled", async () => {
  const at = "2030-01-31 09:00:00";
  const { data } = await send([{ number, message: "Later", ...file, schedule_at: at }]);
  assert.equal(data.contact[0]?.status, "scheduled");
  const cancelled = await it.post(`/api/cancel/whatsapp/${data.contact[0]?.id}`);
  assert.equal(whatsappRecord.parse(cancelled.json().data).status, "cancelled");
});

test("issues of the body answer 422, and nothing is stored", async () => {
  const contact = [{ number: "22333", message: "Hi", media: "image" }];
  const reply = await it.post("/api/whatsapp/send", { contact });
  assert.equal(reply.statusCode, 422);
  assert.deepEqual(reply.json().errors, {
    "contact.0.number": ["The contact.0.number field must be a valid phone number."],
    "contact.0.url": ["The contact.0.url field is required when contact.0.media is present."],
  });
});

test("…0007 answers a list with its first row after two seconds", async () => {
  const person = "+15550000007";
  const contact = { number: person, message: "When?", button: "Choose", sections };
  const { data } = await send([contact], "/api/whatsapp/send-list");
  await send([{ number: person, message: "Hi" }]);
  const received = async () => (await it.get("/api/received/whatsapp")).json().data;
  await it.advance(1_999);
  assert.deepEqual(await received(), []);
  await it.advance(1);
  const [answer, ...others] = await received();
  assert.deepEqual(others, [], "a text is not answered");
  assert.deepEqual(answer.reply, { type: "list", id: "morning", title: "Morning", description: null });
  assert.deepEqual(
    [answer.from, answer.message, answer.in_reply_to, answer.type],
    [person, "Morning", data.contact[0]?.id, "interactive"],
  );
});

test("…0008 reads the message two seconds after it was delivered", async () => {
  const { data } = await send([{ number: "+15550000008", message: "Hi" }]);
  const id = data.contact[0]!.id;
  await it.advance(1_999);
  assert.equal((await record(id)).status, "delivered");
  await it.advance(1);
  const { status, read_at, events } = await record(id);
  assert.equal(status, "read");
  assert.notEqual(read_at, null);
  assert.deepEqual(
    events?.map(({ type }) => type),
    ["queued", "sending", "sent", "delivered", "read"],
  );
});

test("messages of the sandbox cost no credit", async () => {
  assert.equal((await it.get("/api/account")).json().data.credit.whatsapp.remaining, 3);
});
