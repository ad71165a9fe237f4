// What messages have beside their rows: stored with them, shown with them, and removed with them.

import assert from "node:assert/strict";
import test from "node:test";
import type { MessagePayload } from "#contract/messages/content.ts";
import { deleteMessages } from "#store/maintenance/retention.ts";
import { hasPayload, readPayload } from "#store/messages/contents.ts";
import { storeSends } from "#store/messages/insert.ts";
import { findMessage, recentMessages } from "#store/messages/lookup.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { makeAccount, makeGateway, now, sendOf } from "../rows.ts";

const media: MessagePayload = {
  kind: "media",
  media: "image",
  url: "https://cdn.example.com/ä.jpg",
  filename: null,
};
const template: MessagePayload = {
  kind: "template",
  name: "order",
  language: "de",
  parameters: { name: "Ada" },
  components: null,
};

/** A send of a text, a file and a template. */
async function stored({ database }: Store) {
  const accountId = await makeAccount(database);
  const gatewayId = await makeGateway(database, accountId);
  const send = sendOf(accountId, gatewayId, { count: 3, channel: "whatsapp" });
  const kinds = ["text", "media", "template"] as const;
  const messages = send.messages.map((message, at) => ({ ...message, content: kinds[at]! }));
  const [, file, call] = messages.map(({ id }) => id);
  const payloads = [
    { message_id: file!, payload: media },
    { message_id: call!, payload: template },
  ];
  assert.deepEqual(await database.run(storeSends, { ...send, messages, payloads }), {
    kind: "stored",
  });
  return { accountId, ids: messages.map(({ id }) => id) };
}

test("texts and emails have no payload", () => {
  assert.deepEqual((["text", "email", "media", "list", "template"] as const).map(hasPayload), [
    false,
    false,
    true,
    true,
    true,
  ]);
});

onBothEngines((open) => {
  test("a payload comes back in lookups and for sending", async () => {
    const store = open();
    const { accountId, ids } = await stored(store);
    const page = await store.database.run(recentMessages, {
      accountId,
      channel: "whatsapp",
      status: null,
      before: null,
      limit: 10,
    });
    assert.deepEqual(
      page.rows.map(({ id, payload }) => [id, payload]),
      [
        [ids[2], template],
        [ids[1], media],
        [ids[0], undefined],
      ],
    );
    const found = await store.database.run(findMessage, { accountId, channel: "whatsapp", id: ids[1]! });
    assert.deepEqual(found?.message.payload, media);
    assert.deepEqual(await store.database.run(readPayload, ids[2]!), template);
    assert.equal(await store.database.run(readPayload, ids[0]!), null);
  });

  test("a payload is removed with its message", async () => {
    const store = open();
    const { ids } = await stored(store);
    for (const id of ids)
      await store.query("update messages set status = 'delivered', due_at = null where id = ?", id);
    const range = { after: "", before: "z", unchangedSince: now + 1_000_000_000, limit: 1000 };
    const { deleted } = await store.database.run(deleteMessages, range);
    assert.ok(deleted >= 3);
    assert.equal(await store.database.run(readPayload, ids[1]!), null);
  });
});
