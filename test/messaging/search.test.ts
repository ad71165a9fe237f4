// A page of messages by what is known of them: look after look until it is full, with a bound on the looks.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type MessageFilters, search } from "#messaging/search.ts";
import { idAt } from "#runtime/ids.ts";
import { maxPageBodyBytes } from "#store/email/emails.ts";
import { type Harness, harness } from "../harness.ts";

let it: Harness;
let account: { id: string; country: string | null };
let ids: string[];
let start: number;
before(async () => {
  it = await harness({ started: false });
  account = { id: (await it.account({ country: "DE" })).id, country: "DE" };
  await it.gateway({ identifier: "one" });
  start = it.clock.now();
  ids = await it.accepted([1, 2, 3].map((last) => ({ number: `+491510000000${last}`, message: "hi" })));
});
after(() => it.close());

const none: MessageFilters = {
  channel: null,
  statuses: null,
  gateway: null,
  recipient: null,
  acceptedFrom: null,
  acceptedBefore: null,
};
const find = (filters: Partial<MessageFilters>, page: { limit?: number; cursor?: string | null } = {}) =>
  search(it.system.database, account, { ...none, ...filters }, { limit: 10, cursor: null, ...page });
const found = async (...args: Parameters<typeof find>) => {
  const result = await find(...args);
  assert.ok(result.kind === "found");
  return [result.rows.map(({ id }) => ids.indexOf(id)), result.nextCursor];
};

test("newest first, with a cursor while there is more", async () => {
  assert.deepEqual(await found({}), [[2, 1, 0], null]);
  assert.deepEqual(await found({}, { limit: 2 }), [[2, 1], ids[1]]);
  assert.deepEqual(await found({}, { limit: 2, cursor: ids[1]! }), [[0], null]);
  assert.deepEqual(await found({}, { limit: 3 }), [[2, 1, 0], null], "a full last page is the last one");
});

test("a recipient is found in any of the ways to write it", async () => {
  for (const recipient of ["+4915100000002", "0151 0000-0002", "0049 151 00000002"])
    assert.deepEqual(await found({ recipient }), [[1], null], recipient);
  assert.deepEqual(await found({ recipient: "Ann@Example.test" }), [[], null]);
});

test("instants are exact on both sides", async () => {
  assert.deepEqual(await found({ acceptedFrom: start }), [[2, 1, 0], null]);
  assert.deepEqual(await found({ acceptedFrom: start + 1 }), [[], null]);
  assert.deepEqual(await found({ acceptedBefore: start + 1 }), [[2, 1, 0], null]);
  assert.deepEqual(await found({ acceptedBefore: start }), [[], null]);
});

test("what cannot be meant is reported by its field", async () => {
  const field = async (...args: Parameters<typeof find>) => {
    const result = await find(...args);
    return result.kind === "invalid" ? result.field : null;
  };
  assert.equal(await field({ recipient: "call me" }), "recipient");
  assert.equal(await field({ gateway: "another's" }), "gateway");
  assert.equal(await field({}, { cursor: "msg_1" }), "cursor");
  assert.deepEqual(await found({ gateway: "one", channel: "email" }), [[], null]);
});

test("a page that finds too little in its looks comes back short, with where to go on", async () => {
  const asked: string[] = [];
  /** The place where a look ended, a second before that of the look before it. */
  const lookedTo = (looks: number) => idAt("msg", start - looks * 1_000);
  const database = {
    ...it.system.database,
    run: async (operation: { name: string }, input: { before: string; max: number }) => {
      if (operation.name !== "searchMessages") throw new Error(operation.name);
      asked.push(input.before);
      return { rows: [], lookedTo: lookedTo(asked.length), bytesLeft: 1 };
    },
  };
  const result = await search(database as never, account, none, { limit: 10, cursor: null });
  assert.deepEqual(result, {
    kind: "found",
    rows: [],
    nextCursor: lookedTo(20),
    searchedUntil: start - 20_000,
  });
  assert.equal(asked.length, 20);
  assert.deepEqual(asked.slice(0, 3), ["msg_~", lookedTo(1), lookedTo(2)]);
  // Each look for an error reads rows one by one: a page has one, and names where it ended.
  asked.length = 0;
  const rare = await search(
    database as never,
    account,
    { ...none, error: "absent" },
    { limit: 10, cursor: null },
  );
  const expected = { nextCursor: lookedTo(1), searchedUntil: start - 1_000 };
  assert.deepEqual(rare, { kind: "found", rows: [], ...expected });
  assert.equal(asked.length, 1);
});

test("a page ends where the bodies of emails take up their room, and says where to go on", async () => {
  const left: number[] = [];
  const database = {
    ...it.system.database,
    run: async (_: unknown, input: { bytes: number }) => {
      left.push(input.bytes);
      return { rows: [{ id: `msg_${9 - left.length}` }], lookedTo: "msg_1", bytesLeft: 2 - left.length };
    },
  };
  const result = await search(database as never, account, none, { limit: 10, cursor: null });
  assert.ok(result.kind === "found");
  assert.deepEqual([result.rows.map(({ id }) => id), result.nextCursor], [["msg_8", "msg_7"], "msg_1"]);
  assert.deepEqual(left, [maxPageBodyBytes, 1]);
});
