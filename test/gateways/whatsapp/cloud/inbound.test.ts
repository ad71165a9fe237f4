// Messages from people, of every type that Meta documents.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inboundFrom } from "#gateways/whatsapp/cloud/inbound.ts";

const contacts = [{ profile: { name: "Ada" }, wa_id: "4915112345678", user_id: "DE.13491208655302741918" }];
const common = { id: "wamid.in", from: "4915112345678", timestamp: "1750263773" };
const received = (message: object) =>
  inboundFrom({ ...common, ...message } as never, contacts, "+1 555-078-3881");

test("a text has its sender, with name and id, and what it answers", () => {
  const context = { from: "15550783881", id: "wamid.out", frequently_forwarded: true };
  assert.deepEqual(received({ type: "text", text: { body: "Hi" }, context }), {
    reference: "wamid.in",
    replyTo: "wamid.out",
    from: "+4915112345678",
    to: "+15550783881",
    message: "Hi",
    media: [],
    sentAt: 1_750_263_773_000,
    details: {
      type: "text",
      reply: null,
      profileName: "Ada",
      userId: "DE.13491208655302741918",
      forwarded: true,
    },
  });
});

const lines: [type: string, part: unknown, line: string, reply?: object][] = [
  ["image", { id: "1", mime_type: "image/jpeg", caption: "A cat" }, "A cat"],
  ["video", { id: "1", caption: "A film" }, "A film"],
  ["document", { id: "1", filename: "a.pdf", caption: "The bill" }, "The bill"],
  ["audio", { id: "1", voice: true }, ""],
  ["sticker", { id: "1", animated: false }, ""],
  ["reaction", { message_id: "wamid.out", emoji: "👍" }, "👍"],
  [
    "location",
    { latitude: 52.5, longitude: 13.25, name: "Café", address: "Weg 1" },
    "Café, Weg 1 (52.5, 13.25)",
  ],
  ["location", { latitude: 52.5, longitude: 13.25 }, "52.5, 13.25"],
  [
    "contacts",
    [{ name: { formatted_name: "Bob" }, phones: [{ phone: "+1 555" }] }, { name: {} }],
    "Bob +1 555",
  ],
  [
    "order",
    { product_items: [{ product_retailer_id: "sku1", quantity: 2, item_price: 7.5, currency: "EUR" }] },
    "2 × sku1 (7.5 EUR)",
  ],
  [
    "button",
    { payload: "yes-1", text: "Yes" },
    "Yes",
    { type: "button", id: "yes-1", title: "Yes", description: null },
  ],
  [
    "interactive",
    { type: "list_reply", list_reply: { id: "am", title: "Morning", description: "8 to 12" } },
    "Morning",
    { type: "list", id: "am", title: "Morning", description: "8 to 12" },
  ],
  [
    "interactive",
    { type: "button_reply", button_reply: { id: "b", title: "Go" } },
    "Go",
    { type: "button", id: "b", title: "Go", description: null },
  ],
  [
    "interactive",
    { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: '{"a":1}' } },
    '{"a":1}',
    { type: "flow", id: "flow", title: "Sent", description: null },
  ],
  ["unsupported", { type: "poll" }, ""],
];
for (const [type, part, line, reply = null] of lines) {
  test(`${type}: ${JSON.stringify(part)}`, () => {
    const message = received({ type, [type]: part });
    assert.deepEqual(
      [message?.message, message?.details?.type, message?.details?.reply],
      [line, type, reply],
    );
  });
}

test("a reaction answers the message that it is about", () => {
  assert.equal(received({ type: "reaction", reaction: { message_id: "wamid.out" } })?.replyTo, "wamid.out");
});

test("a person who hides their number is known by their id", () => {
  const message = {
    from: undefined,
    from_user_id: "DE.13491208655302741918",
    type: "text",
    text: { body: "Hi" },
  };
  const { from, details } = received(message) ?? {};
  assert.deepEqual(
    [from, details?.userId, details?.profileName],
    ["DE.13491208655302741918", "DE.13491208655302741918", "Ada"],
  );
});

test("changes of earlier messages, and messages without a sender or an id, are no messages", () => {
  for (const message of [
    { type: "edit" },
    { type: "revoke" },
    { type: "text", from: undefined },
    { type: "text", id: undefined },
  ])
    assert.equal(received(message), null, JSON.stringify(message));
});

test("odd values never throw", () => {
  for (const part of [null, 1, "x", [], [null], { body: {} }, { name: [], phones: 7 }])
    for (const type of ["text", "contacts", "order", "interactive", "location", "__proto__", "constructor"])
      assert.equal(typeof received({ type, [type]: part, context: part })?.message, "string", type);
});
