// The loop that makes the rows of a send, with the rules of a channel made for the test.

import assert from "node:assert/strict";
import test from "node:test";
import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { SharedDraft } from "#contract/messages/contacts.ts";
import { measure } from "#contract/messages/segments.ts";
import { createPreparer } from "#messaging/accept/prepare.ts";

interface Draft extends SharedDraft {
  to: string | undefined;
  text: string | undefined;
}

const account = {
  timeZone: "UTC",
  country: "DE",
  gateways: ["live", "sandbox"].map((identifier) => ({
    id: `gw_${identifier}`,
    identifier,
    channel: "sms",
    kind: "some-kind",
    contents: ["text"],
    active: true,
    isDefault: identifier === "live",
    test: identifier === "sandbox",
  })),
} as unknown as Account;

const rules: Parameters<typeof createPreparer<Draft>>[0] = {
  channel: "sms",
  partsOf: ({ to, text }, country) => ({
    written: to,
    recipient: to === "unknown" ? null : to && `${country}:${to}`,
    content: "text",
    body: text,
  }),
};

const draft = (change: Partial<Draft>): Draft => ({
  to: "ada",
  text: "Hello",
  gateway_identifier: null,
  schedule_at: null,
  reference: null,
  metadata: null,
  ...change,
});

function prepare(contacts: Draft[], change: Partial<typeof rules> = {}, issues: Issue[] = []) {
  return createPreparer({ ...rules, ...change })(
    account,
    { contacts, issues },
    {
      now: 5,
      newIds: (prefix, count) => Array.from({ length: count }, (_, at) => `${prefix}_${at}`),
      yieldToEventLoop: async () => {},
    },
  );
}

test("each contact becomes a row with its own id, and costs one credit except on a sandbox", async () => {
  const prepared = await prepare([draft({}), draft({ to: "bob", gateway_identifier: "sandbox" })]);
  assert.ok(prepared.kind === "ready");
  assert.deepEqual(
    prepared.messages.map((row) => [row.id, row.gateway_id, row.recipient_raw, row.recipient, row.cost]),
    [
      ["msg_0", "gw_live", "ada", "DE:ada", 1],
      ["msg_1", "gw_sandbox", "bob", "DE:bob", 0],
    ],
  );
  assert.deepEqual(Object.keys(prepared), ["kind", "messages"]);
});

test("a measured text costs its segments, and the measurer is made once for a send", async () => {
  let made = 0;
  const createMeasurer = () => {
    made += 1;
    return measure;
  };
  const prepared = await prepare([draft({}), draft({ text: "x".repeat(161) })], { createMeasurer });
  assert.ok(prepared.kind === "ready");
  assert.deepEqual(
    prepared.messages.map(({ encoding, segments, cost }) => [encoding, segments, cost]),
    [
      ["gsm7", 1, 1],
      ["gsm7", 2, 2],
    ],
  );
  assert.equal(made, 1);
});

test("what belongs to a message beside its row carries the id of the message", async () => {
  const prepared = await prepare([draft({}), draft({ to: "bob" })], {
    partsOf: (...known) => ({
      ...rules.partsOf(...known),
      email: { subject: `To ${known[0].to}`, sender_name: null, reply_to: null, extras: null },
      payload: known[0].to === "ada" ? null : { kind: "media", media: "image", url: "u", filename: null },
    }),
  });
  assert.ok(prepared.kind === "ready");
  assert.deepEqual(
    prepared.emails?.map(({ message_id, subject }) => [message_id, subject]),
    [
      ["msg_0", "To ada"],
      ["msg_1", "To bob"],
    ],
  );
  assert.deepEqual(
    prepared.payloads?.map(({ message_id, payload }) => [message_id, payload.kind]),
    [["msg_1", "media"]],
  );
});

test("issues of the body, of numbers, of gateways and of what a gateway reaches come together", async () => {
  const prepared = await prepare(
    [
      draft({}),
      draft({ to: "unknown", gateway_identifier: "missing" }),
      draft({ to: undefined }),
      draft({ to: "far" }),
    ],
    { reaches: (gateway, recipient) => gateway.identifier === "live" && recipient !== "DE:far" },
    [{ path: ["contact", 2, "to"], message: "is required" }],
  );
  assert.ok(prepared.kind === "invalid");
  assert.deepEqual(
    prepared.issues.map(({ path }) => path.join(".")),
    ["contact.2.to", "contact.1.number", "contact.1.gateway_identifier", "contact.3.number"],
  );
});

test("a contact that lacks a field without an issue is a fault of the reader, and stores nothing", async () => {
  await assert.rejects(prepare([draft({ text: undefined })]), /lacks a field/);
  const emailWithoutSubject: typeof rules.partsOf = (...known) => ({
    ...rules.partsOf(...known),
    content: "email",
  });
  const mailing = { ...account, gateways: account.gateways.map((of) => ({ ...of, contents: ["email"] })) };
  await assert.rejects(
    createPreparer({ ...rules, partsOf: emailWithoutSubject })(
      mailing as unknown as Account,
      { contacts: [draft({})], issues: [] },
      { now: 5, newIds: () => ["msg_0"], yieldToEventLoop: async () => {} },
    ),
    /lacks a field/,
  );
});
