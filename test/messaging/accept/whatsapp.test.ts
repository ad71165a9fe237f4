// The rules of a WhatsApp message that need its account.

import assert from "node:assert/strict";
import test from "node:test";
import type { Account, AccountGateway } from "#accounts/account.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import { readWhatsapp, readWhatsappList } from "#contract/messages/whatsapp.ts";
import { prepareWhatsapp } from "#messaging/accept/whatsapp.ts";

const now = Date.UTC(2026, 2, 1, 12);

const gateway = (
  identifier: string,
  contents: readonly ContentKind[],
  change: Partial<AccountGateway> = {},
) => ({
  id: `gw_${identifier}`,
  identifier,
  channel: "whatsapp" as const,
  kind: "some-kind",
  contents,
  active: true,
  isDefault: false,
  test: false,
  ...change,
});

const everything: ContentKind[] = ["text", "media", "list", "template"];

const account: Account = {
  id: "acc_1",
  name: "acme",
  timeZone: "Europe/Berlin",
  country: "DE",
  plan: { name: "basic", expiresAt: null },
  requestsPerMinute: null,
  attachments: { maxFiles: 10, maxBytes: 10_485_760 },
  gateways: [
    gateway("texts", ["text"], { isDefault: true }),
    gateway("all", ["text", "media", "list", "template"]),
    gateway("cloud", everything, { kind: "whatsapp-cloud" }),
    gateway("phone", ["text", "media", "list"], { kind: "whatsapp-linked" }),
    gateway("sandbox", everything, { kind: "sandbox" }),
    gateway("box", ["text", "media", "list", "template"], { test: true }),
  ],
};

const plain = { number: "0151 23456789", message: "Hello" };
const file = { ...plain, media: "document", url: "https://cdn.example.com/a.pdf" };
const template = { name: "order_shipped", language: "en", parameters: ["Ada"] };

async function prepare(
  contacts: object[],
  read: typeof readWhatsapp | typeof readWhatsappList = readWhatsapp,
  of = account,
) {
  const send = read({ contact: contacts }, { maxContacts: 10 });
  const prepared = await prepareWhatsapp(of, send, {
    now,
    newIds: (prefix, count) => Array.from({ length: count }, (_, at) => `${prefix}_${at}`),
    yieldToEventLoop: async () => {},
  });
  return prepared.kind === "ready"
    ? prepared
    : prepared.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

async function ready(...args: Parameters<typeof prepare>) {
  const prepared = await prepare(...args);
  if (Array.isArray(prepared)) throw new Error(prepared.join("\n"));
  return prepared;
}

test("each contact gets a gateway that can send its content, and a credit each", async () => {
  const { messages, payloads } = await ready([
    plain,
    { ...file, filename: "a.pdf" },
    { ...plain, template },
    { ...file, gateway_identifier: "box" },
  ]);
  assert.deepEqual(
    messages.map(({ recipient, content, body, gateway_id, test: isTest, cost }) => [
      recipient,
      content,
      body,
      gateway_id,
      isTest,
      cost,
    ]),
    [
      ["+4915123456789", "text", "Hello", "gw_texts", 0, 1],
      ["+4915123456789", "media", "Hello", "gw_all", 0, 1],
      ["+4915123456789", "template", "Hello", "gw_all", 0, 1],
      ["+4915123456789", "media", "Hello", "gw_box", 1, 0],
    ],
  );
  const media = { kind: "media", media: "document", url: file.url };
  assert.deepEqual(payloads, [
    { message_id: "msg_1", payload: { ...media, filename: "a.pdf" } },
    { message_id: "msg_2", payload: { kind: "template", ...template, components: null } },
    { message_id: "msg_3", payload: { ...media, filename: null } },
  ]);
});

test("a user id stays as it is, and needs a gateway that reaches people by it", async () => {
  const contact = { number: "US.13491208655302741918", message: "Hello" };
  const { messages } = await ready([{ ...contact, gateway_identifier: "cloud" }]);
  assert.deepEqual([messages[0]?.recipient, messages[0]?.recipient_raw], [contact.number, contact.number]);
  assert.deepEqual(await prepare([contact]), [
    "contact.0.number: The contact.0.number field must be a valid phone number.",
  ]);
});

test("the id of a person who hides their number needs a linked device", async () => {
  const contact = { number: "271234567890123@lid", message: "Hello" };
  const { messages } = await ready([
    { ...contact, gateway_identifier: "phone" },
    { ...contact, gateway_identifier: "sandbox" },
  ]);
  assert.deepEqual(
    messages.map(({ recipient }) => recipient),
    [contact.number, contact.number],
  );
  assert.deepEqual(
    await prepare([
      { ...contact, gateway_identifier: "cloud" },
      { number: "US.13491208655302741918", message: "Hello", gateway_identifier: "phone" },
      { number: "27123x@lid", message: "Hello", gateway_identifier: "phone" },
    ]),
    [0, 1, 2].map(
      (index) => `contact.${index}.number: The contact.${index}.number field must be a valid phone number.`,
    ),
  );
});

const tooLong = (index: number, max: number) =>
  `contact.${index}.message: The contact.${index}.message field must not be greater than ${max} characters.`;

test("texts and captions are bounded by the kind of the gateway, whether it is named or not", async () => {
  const long = { ...plain, message: "🚀".repeat(4097) };
  const caption = { ...file, message: "x".repeat(1025) };
  const at = (gateway_identifier: string) => ({ gateway_identifier });
  const contacts = [
    { ...long, ...at("cloud") },
    { ...caption, media: "image", ...at("cloud") },
    { ...caption, media: "video", ...at("cloud") },
    { ...caption, ...at("phone") },
    { ...long, ...file, media: "audio", message: long.message, ...at("cloud") },
  ];
  const issues = [tooLong(0, 4096), tooLong(1, 1024), tooLong(2, 1024), tooLong(3, 1024), tooLong(4, 4096)];
  assert.deepEqual(await prepare(contacts), issues);
  const fits = [
    { ...plain, message: "🚀".repeat(4096), ...at("cloud") },
    { ...file, message: "🚀".repeat(1024), ...at("cloud") },
    { ...file, message: "x".repeat(4096), media: "audio", ...at("cloud") },
    { ...long, template, ...at("cloud") },
    { ...long, ...at("phone") },
    { ...caption, ...at("all") },
  ];
  assert.equal((await ready(fits)).messages.length, fits.length);
  const cloudAlone = { ...account, gateways: [gateway("cloud", everything, { kind: "whatsapp-cloud" })] };
  assert.deepEqual(await prepare([long], readWhatsapp, cloudAlone), [tooLong(0, 4096)]);
});

test("the issue of a text that is too long comes with all other issues of its contact", async () => {
  const contact = { number: "22333", message: "x".repeat(4097), schedule_at: "2026-13-01 00:00:00" };
  assert.deepEqual(await prepare([{ ...contact, gateway_identifier: "cloud" }]), [
    "contact.0.schedule_at: The contact.0.schedule_at field must match the format Y-m-d H:i:s.",
    "contact.0.number: The contact.0.number field must be a valid phone number.",
    tooLong(0, 4096),
  ]);
});

test("texts alone have no payloads", async () => {
  assert.equal("payloads" in (await ready([plain, plain])), false);
});

test("a list is its own content", async () => {
  const sections = [{ title: null, rows: [{ id: "a", title: "A", description: null }] }];
  const { messages, payloads } = await ready([{ ...plain, button: "Choose", sections }], readWhatsappList);
  assert.deepEqual([messages[0]?.content, messages[0]?.gateway_id], ["list", "gw_all"]);
  assert.deepEqual(payloads?.[0]?.payload, {
    kind: "list",
    header: null,
    footer: null,
    button: "Choose",
    sections,
  });
});

for (const [written, name] of [
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\ada\\Invoice 1.pdf", "Invoice 1.pdf"],
  ["in\u202Evoice\u0007.pdf", "invoice.pdf"],
  ["folder/", null],
  ["..", null],
] as const) {
  test(`a file called ${JSON.stringify(written)} is shown as ${name}`, async () => {
    const { payloads } = await ready([{ ...file, filename: written }]);
    const [first] = payloads ?? [];
    assert.equal(first?.payload.kind === "media" ? first.payload.filename : undefined, name);
  });
}

test("issues of numbers, gateways and bodies come together", async () => {
  assert.deepEqual(
    await prepare([
      { ...plain, number: "22333" },
      { ...file, gateway_identifier: "texts" },
      { ...plain, number: "call me", media: "gif" },
    ]),
    [
      "contact.2.media: The selected contact.2.media is invalid.",
      "contact.2.url: The contact.2.url field is required when contact.2.media is present.",
      "contact.0.number: The contact.0.number field must be a valid phone number.",
      "contact.1.gateway_identifier: Gateway texts of kind some-kind cannot send media messages.",
      "contact.2.number: The contact.2.number field must be a valid phone number.",
    ],
  );
});
