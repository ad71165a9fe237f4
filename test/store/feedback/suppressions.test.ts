// The suppression list: added to, paged through, searched and taken from, by one account and channel at a time.

import assert from "node:assert/strict";
import test from "node:test";
import type { Channel } from "#contract/messages/channel.ts";
import { addSuppressions, listSuppressions, removeSuppression } from "#store/feedback/suppressions.ts";
import type { SuppressionReason } from "#store/schema/schema.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, now } from "../rows.ts";

onBothEngines((open) => {
  const add = (
    accountId: string,
    recipients: string[],
    channel: Channel = "sms",
    note: string | null = null,
  ) => open().database.run(addSuppressions, { accountId, channel, recipients, note, at: now });
  const list = async (
    accountId: string,
    more: Partial<Parameters<typeof listSuppressions.run>[1] & object> = {},
  ) =>
    open().database.run(listSuppressions, {
      accountId,
      channels: ["sms", "whatsapp", "email"],
      recipients: null,
      after: null,
      limit: 100,
      ...more,
    });

  test("what is added is there once, with who, why and since when", async () => {
    const accountId = await makeAccount(open().database);
    assert.equal(await add(accountId, ["+15550002", "+15550001", "+15550002"], "sms", "asked by phone"), 2);
    assert.equal(await add(accountId, ["+15550002", "+15550003"]), 1);
    assert.equal(await add(accountId, []), 0);
    const rows = await list(accountId);
    assert.deepEqual(
      { ...rows[0] },
      {
        account_id: accountId,
        channel: "sms",
        recipient: "+15550001",
        reason: "manual",
        note: "asked by phone",
        created_at: now,
      },
    );
    assert.deepEqual(
      rows.map(({ recipient, note }) => [recipient, note]),
      [
        ["+15550001", "asked by phone"],
        ["+15550002", "asked by phone"],
        ["+15550003", null],
      ],
    );
  });

  test("added by hand, an opt-out is the account's own word; a bounce stays a bounce", async () => {
    const accountId = await makeAccount(open().database);
    const reasons: SuppressionReason[] = ["opt_out", "unsubscribe", "bounce", "complaint"];
    for (const reason of reasons)
      await open().query(
        "insert into suppressions (account_id, channel, recipient, reason, note, created_at) values (?, 'email', ?, ?, 'old', 7)",
        accountId,
        `${reason}@example.com`,
        reason,
      );
    const recipients = reasons.map((reason) => `${reason}@example.com`);
    assert.equal(await add(accountId, recipients, "email", "new"), 0);
    const rows = await list(accountId);
    assert.deepEqual(
      rows.map(({ recipient, reason, note, created_at }) => [
        recipient.split("@")[0],
        reason,
        note,
        created_at,
      ]),
      [
        ["bounce", "bounce", "old", 7],
        ["complaint", "complaint", "old", 7],
        ["opt_out", "manual", "new", 7],
        ["unsubscribe", "manual", "new", 7],
      ],
    );
  });

  test("pages follow the order of channel and recipient, without gaps and repeats", async () => {
    const accountId = await makeAccount(open().database);
    const otherAccount = await makeAccount(open().database);
    await add(otherAccount, ["+15550001", "+15550009"]);
    await add(accountId, ["+15550003", "+15550001", "+15550002"]);
    await add(accountId, ["+15550001"], "whatsapp");
    await add(accountId, ["b@example.com", "a@example.com"], "email");
    const all = ["a@example.com", "b@example.com", "+15550001", "+15550002", "+15550003", "+15550001"];
    const seen: string[] = [];
    let after: { channel: Channel; recipient: string } | null = null;
    for (;;) {
      const page: Awaited<ReturnType<typeof list>> = await list(accountId, { after, limit: 2 });
      seen.push(...page.map(({ recipient }) => recipient));
      const last = page.at(-1);
      if (!last) break;
      after = { channel: last.channel, recipient: last.recipient };
    }
    assert.deepEqual(seen, all);
    const found = await list(accountId, { recipients: ["+15550001", "b@example.com"] });
    assert.deepEqual(
      found.map(({ channel, recipient }) => [channel, recipient]),
      [
        ["email", "b@example.com"],
        ["sms", "+15550001"],
        ["whatsapp", "+15550001"],
      ],
    );
    assert.equal((await list(accountId, { channels: ["sms"] })).length, 3);
    assert.deepEqual(await list(accountId, { recipients: [] }), []);
  });

  test("one is taken off, by its own account and channel alone", async () => {
    const accountId = await makeAccount(open().database);
    const otherAccount = await makeAccount(open().database);
    await add(accountId, ["+15550001", "+15550002"]);
    const remove = (owner: string, channel: Channel, recipient = "+15550001") =>
      open().database.run(removeSuppression, { accountId: owner, channel, recipient });
    assert.deepEqual(
      [await remove(otherAccount, "sms"), await remove(accountId, "whatsapp")],
      [false, false],
    );
    assert.deepEqual([await remove(accountId, "sms"), await remove(accountId, "sms")], [true, false]);
    assert.deepEqual(
      (await list(accountId)).map(({ recipient }) => recipient),
      ["+15550002"],
    );
  });

  test("the same thousand added by many at once in different orders are there once", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const recipients = Array.from({ length: 1000 }, (_, i) => `+1555${String(i).padStart(7, "0")}`);
    const input = { accountId, channel: "sms" as const, note: null, at: now };
    const added = await Promise.all([
      store.database.run(addSuppressions, { ...input, recipients }),
      store.other.run(addSuppressions, { ...input, recipients: recipients.toReversed() }),
      store.database.run(addSuppressions, { ...input, recipients: recipients.slice(500) }),
    ]);
    assert.equal(
      added.reduce((sum, count) => sum + count, 0),
      1000,
    );
    assert.equal((await list(accountId, { limit: 5000 })).length, 1000);
  });
});
