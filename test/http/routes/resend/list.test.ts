// Lists of emails by Resend's package: pages in both directions, and whose emails they show.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Resend } from "resend";
import type { Harness } from "../../../harness.ts";
import { createdBy, type Managed, managed } from "../manage/managed.ts";
import { askResend, emailsPath, packageClient } from "./resend-peer.ts";

describe("lists of emails", () => {
  let m: Managed;
  let it: Harness;
  let account: { id: string; key: string };
  let client: Resend;
  /** Newest first. */
  const ids: string[] = [];
  before(async () => {
    m = await managed({ started: false });
    it = m.it;
    account = await it.account({ name: "acme" });
    for (const name of ["shop", "bank"])
      await it.gateway({
        identifier: name,
        channel: "email",
        kind: "resend",
        default: name === "bank",
        settings: { api_key: "re_1", from: `news@${name}.example` },
      });
    await it.gateway({ identifier: "sms" });
    client = await packageClient(it, account.key);
    for (let n = 0; n < 7; n++) {
      const from = `Acme <news@${n % 3 === 0 ? "shop" : "bank"}.example>`;
      const to = n === 6 ? ["ada@example.com", "bob@example.com"] : "ada@example.com";
      const { data, error } = await client.emails.send({ from, to, subject: `Mail ${n}`, html: "<p>Hi</p>" });
      assert.equal(error, null);
      ids.unshift(data!.id);
    }
    await it.accepted([{ number: "+4915112345678", message: "no email" }]);
  });
  after(() => m?.close());

  const page = async (options?: Parameters<Resend["emails"]["list"]>[0], from = client) => {
    const { data, error } = await from.emails.list(options);
    assert.equal(error, null);
    assert.equal(data!.object, "list");
    return [data!.data.map(({ id }) => ids.indexOf(id)), data!.has_more];
  };

  test("the newest come first, as Resend shows them, without bodies", async () => {
    assert.deepEqual(await page(), [[0, 1, 2, 3, 4, 5, 6], false]);
    const { data } = await client.emails.list({ limit: 1 });
    const [newest] = data!.data;
    assert.deepEqual(newest, {
      id: ids[0],
      to: ["ada@example.com", "bob@example.com"],
      from: "Acme <news@shop.example>",
      created_at: newest!.created_at,
      subject: "Mail 6",
      bcc: [],
      cc: [],
      reply_to: [],
      last_event: "queued",
      scheduled_at: null,
    });
  });

  const pages: [
    what: string,
    limit: number,
    cursor: ["after" | "before", number] | null,
    shown: number[],
    more: boolean,
  ][] = [
    ["the first page", 3, null, [0, 1, 2], true],
    ["the next", 3, ["after", 2], [3, 4, 5], true],
    ["the last", 3, ["after", 5], [6], false],
    ["a page that ends with the last", 2, ["after", 4], [5, 6], false],
    ["nothing after the last", 3, ["after", 6], [], false],
    ["before it", 3, ["before", 6], [3, 4, 5], true],
    ["before that", 3, ["before", 3], [0, 1, 2], false],
    ["nothing before the newest", 3, ["before", 0], [], false],
  ];
  for (const [what, limit, cursor, shown, more] of pages)
    test(what, async () => {
      const options = cursor === null ? { limit } : { limit, [cursor[0]]: ids[cursor[1]] };
      assert.deepEqual(await page(options as Parameters<Resend["emails"]["list"]>[0]), [shown, more]);
    });

  test("an id of ours is a cursor too", async () => {
    const [newest] = (await it.get("/api/get/email?limit=1")).json().data;
    const reply = await askResend(it, account.key, {
      method: "GET",
      url: `${emailsPath}?limit=1&after=${newest.id}`,
    });
    assert.equal(reply.json().data[0].id, ids[1]);
  });

  test("a key of one gateway lists its emails alone, and another account none", async () => {
    const body = { name: "shop", scopes: ["read:own", "send:email"], gateways: ["shop"] };
    const { key } = await createdBy<{ key: string }>(m.operator, `/accounts/${account.id}/api-keys`, body);
    const own = await packageClient(it, key);
    assert.deepEqual(await page({ limit: 2 }, own), [[0, 3], true]);
    assert.deepEqual(await page({ limit: 2, after: ids[3]! }, own), [[6], false]);
    assert.deepEqual(await page({ limit: 2, before: ids[6]! }, own), [[0, 3], false]);
    const other = await it.account({ name: "other" });
    assert.deepEqual(await page({}, await packageClient(it, other.key)), [[], false]);
    it.as(account);
  });

  test("a key that may only send lists nothing", async () => {
    const body = { name: "send", scopes: ["send:email"], gateways: null };
    const { key } = await createdBy<{ key: string }>(m.operator, `/accounts/${account.id}/api-keys`, body);
    const reply = await askResend(it, key, { method: "GET" });
    assert.deepEqual([reply.statusCode, reply.json().name], [401, "restricted_api_key"]);
  });

  for (const query of [
    "limit=0",
    "limit=101",
    "limit=x",
    "after=x",
    `after=${"0".repeat(36)}`,
    "before=msg",
    "both",
  ])
    test(`${query} is refused`, async () => {
      const url = `${emailsPath}?${query === "both" ? `after=${ids[0]}&before=${ids[1]}` : query}`;
      const reply = await askResend(it, account.key, { method: "GET", url });
      assert.deepEqual([reply.statusCode, reply.json().name], [422, "validation_error"], reply.body);
    });
});
