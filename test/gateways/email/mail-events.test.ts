// The reader of mail vendors' events, with a table made for the test.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type MailEvents,
  mailEventReader,
  mailEventReceiver,
  tokenProof,
} from "#gateways/email/mail-events.ts";
import { textAt } from "#gateways/json-path.ts";
import { toolsWith } from "../conformance-samples.ts";

const table: MailEvents<{ callback_token?: string | undefined }> = {
  proof: tokenProof,
  type: "$.what",
  reference: "$.ref",
  id: "$.ours",
  at: ["$.later", "$.earlier"],
  key: (event) => textAt(event, "$.key") ?? undefined,
  reason: "$.why",
  client: { url: "$.link", userAgent: "$.agent", ip: "$.ip" },
  words: {
    arrived: { status: "delivered" },
    returned: (event) => ({ status: "bounced", code: textAt(event, "$.why") ?? "none" }),
    seen: { kind: "opened" },
    visited: { kind: "clicked" },
    hated: { kind: "complained" },
    silent: () => null,
  },
};
const client = { link: "https://a.test/", agent: "Mozilla", ip: "192.0.2.1", why: "spam" };
const at = 1_700_000_000;

function read(document: unknown, change: Partial<typeof table> = {}, key?: string) {
  return mailEventReader({ ...table, ...change })(Buffer.from(JSON.stringify(document)), key);
}

test("a word gives its report, about the mail that the event names and at the first time that it has", () => {
  assert.deepEqual(read({ what: "arrived", ref: "r", ours: "msg_1", later: "soon", earlier: at }), {
    kind: "received",
    receipts: [{ status: "delivered", reference: "r", messageId: "msg_1", at: at * 1000 }],
    inbound: [],
  });
  assert.deepEqual(read({ what: "returned", ref: "r", why: "full", key: "k" }), {
    kind: "received",
    receipts: [{ status: "bounced", code: "full", reference: "r" }],
    inbound: [],
  });
});

test("a click has its client and URL, an open no URL, and everything else a reason", () => {
  const engagements = ["seen", "visited", "hated"].map((what) => {
    const received = read({ what, ref: "r", key: "k", ...client });
    assert.ok(received.kind === "received");
    return received.engagements;
  });
  const same = { reference: "r", key: "k" };
  const visitor = { userAgent: "Mozilla", ip: "192.0.2.1" };
  assert.deepEqual(engagements, [
    [{ kind: "opened", ...same, ...visitor }],
    [{ kind: "clicked", ...same, ...visitor, url: "https://a.test/" }],
    [{ kind: "complained", ...same, reason: "spam" }],
  ]);
});

test("the key of the call counts before that of the event", () => {
  const received = read({ what: "seen", ref: "r", key: "k" }, {}, "call");
  assert.ok(received.kind === "received");
  assert.equal(received.engagements?.[0]?.key, "call");
});

test("a word that is not listed, or means nothing, changes nothing; without a word or a mail it is malformed", () => {
  const nothing = { kind: "received", receipts: [], inbound: [] };
  assert.deepEqual(read({ what: "new" }), nothing);
  assert.deepEqual(read({ what: "constructor" }), nothing);
  assert.deepEqual(read({ what: "silent", ref: "r" }), nothing);
  const noWord = { kind: "malformed", reason: "The callback has no what." };
  for (const document of [{ ref: "r" }, null, 1, "arrived"]) assert.deepEqual(read(document), noWord);
  const noMail = { kind: "malformed", reason: "The event names no message." };
  assert.deepEqual(read({ what: "arrived" }), noMail);
});

test("a list is read where the vendor sends lists, without those of its events that cannot be read", () => {
  const good = { what: "arrived", ref: "r" };
  const events = [{ what: "arrived" }, 5, good, { ref: "r" }, good];
  assert.equal(read(events).kind, "malformed");
  for (const lists of ["sometimes", "always"] as const) {
    const received = read(events, { lists });
    assert.ok(received.kind === "received");
    assert.equal(received.receipts.length, 2);
  }
  assert.equal(read(good, { lists: "sometimes" }).kind, "received");
  assert.equal(read(good, { lists: "always" }).kind, "malformed");
  for (const unread of [[], [{ what: "arrived" }]]) {
    assert.equal(read(unread, { lists: "sometimes" }).kind, "malformed");
    assert.equal(read(unread, { lists: "always" }).kind, "received");
  }
});

test("an event may be inside the document", () => {
  assert.equal(read({ data: { what: "arrived", ref: "r" } }, { event: "$.data" }).kind, "received");
  assert.equal(read({ what: "arrived", ref: "r" }, { event: "$.data" }).kind, "malformed");
});

test("nothing is read before it is proved, and what the proof adds goes along", () => {
  const body = Buffer.from(JSON.stringify({ what: "seen", ref: "r" }));
  const call = (query: string) => ({
    method: "POST",
    url: "",
    query: new URLSearchParams(query),
    headers: {},
    body,
  });
  const receive = mailEventReceiver(table);
  const settings = { callback_token: "0123456789abcdef" };
  assert.equal(receive(call("token=0123456789abcdef"), settings, toolsWith()).kind, "received");
  assert.equal(receive(call("token=0123456789abcdeX"), settings, toolsWith()).kind, "forbidden");
  assert.equal(receive(call("token="), {}, toolsWith()).kind, "not_configured");
  assert.equal(receive(call("token="), { callback_token: "" }, toolsWith()).kind, "not_configured");
  const replayGuard = { proof: "p", until: 7 };
  const signed = mailEventReceiver({ ...table, proof: () => ({ kind: "verified", key: "k", replayGuard }) });
  assert.deepEqual(signed(call(""), {}, toolsWith()), {
    kind: "received",
    receipts: [],
    inbound: [],
    engagements: [{ kind: "opened", reference: "r", key: "k" }],
    replayGuard,
  });
});
