// A provider that dies and comes back is reported to the account's own webhooks, once each way, and the callers of the
// pool see nothing of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findAccountByName } from "#store/accounts/accounts.ts";
import { fails, openaiPeer, says } from "../http/openai-peer.ts";
import { memberOf, pooled } from "../http/pooled.ts";
import { says as answers, listen, posts } from "./receiver.ts";

test("pool.member_down with its reason, then pool.member_up", async () => {
  const primary = await openaiPeer(says("From the primary."));
  const backup = await openaiPeer(says("From the backup."));
  const pool = await pooled(
    { members: [memberOf(primary), memberOf(backup, { name: "backup", priority: 2 })] },
    { respond: () => answers(204) },
  );
  try {
    const account = await pool.it.system.database.run(findAccountByName, "acme");
    await listen(pool.it, account!.id, { events: ["pool.*"] });
    const chat = async () =>
      (await pool.ask("/chat/completions", { body: { messages: [{ role: "user", content: "Hi" }] } })).status;
    primary.answer(fails(503));
    for (let i = 0; i < 4; i++) assert.equal(await chat(), 200);
    await pool.it.settle();
    const events = () =>
      posts(pool.it).map(({ type, data }) => {
        const { pool: name, member, kind, reason } = data as unknown as Record<string, unknown>;
        return [type, name, member, kind, typeof reason];
      });
    const named = ["assistants", "primary", "openai-compatible"];
    assert.deepEqual(events(), [["pool.member_down", ...named, "string"]]);
    primary.answer(says("Back."));
    await pool.it.advance(120_000);
    for (let i = 0; i < 3; i++) assert.equal(await chat(), 200);
    await pool.it.settle();
    assert.deepEqual(events().slice(1), [["pool.member_up", ...named, "object"]]);
    assert.ok(!JSON.stringify(posts(pool.it)).includes("sk-upstream"));
  } finally {
    await pool.close();
    await primary.close();
    await backup.close();
  }
});
