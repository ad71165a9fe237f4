// GET /api/manage/v1/find: ids inside any text, and only what the asker may see.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { idsIn } from "#http/routes/manage/find.ts";
import { bearer, manage, tokenFor } from "../../managing.ts";
import { type Ask, dataOf, type Managed, managed } from "./managed.ts";

let m: Managed;
let member: Ask;
let account: { id: string };
/** A message of the account. */
let known: { id: string; request: string };
before(async () => {
  m = await managed();
  account = await m.it.account({ name: "acme" });
  await m.it.gateway({ identifier: "one", default: true });
  member = await m.member(account.id);
});
after(() => m.close());

const find = async (ask: Ask, text: string) =>
  dataOf<{ kind: string; id: string; account: { name: string } }[]>(
    await ask("GET", `/find?q=${encodeURIComponent(text)}`),
  );

test("a line of a log leads to its message and its request; an event to its message", async () => {
  const [id = ""] = await m.it.accepted([{ number: "+15550000001", message: "hi" }]);
  const { request_id } = await m.it.message(id);
  known = { id, request: request_id };
  const line = `{"level":30,"request":"${request_id}","message":"${id}","event":"evt_${id.slice(4)}_2"}`;
  assert.deepEqual(idsIn(line), [request_id, id]);
  for (const ask of [member, m.operator])
    assert.deepEqual(
      (await find(ask, line)).map((each) => [each.kind, each.id, each.account.name]),
      [
        ["message", id, "acme"],
        ["request", request_id, "acme"],
      ],
    );
  const other = await m.it.account({ name: "other" });
  assert.deepEqual(await find(await m.member(other.id), line), []);
});

test("a gateway by its identifier; nothing for what names nothing; a faulty question says so", async () => {
  assert.deepEqual(
    (await find(member, " one ")).map(({ kind, id }) => [kind, id]),
    [["gateway", "one"]],
  );
  for (const text of ["two", "msg_0", "msg_zzzzzzzzzzzzzzzzzzzzzzzzzz", "req_%00"])
    assert.deepEqual(await find(member, text), [], text);
  assert.equal((await member("GET", "/find")).statusCode, 422);
  assert.equal((await member("GET", `/find?q=${"x".repeat(2_001)}`)).statusCode, 422);
});

test("a token finds what its scopes let it read", async () => {
  const text = `${account.id} ${known.id} ${known.request}`;
  for (const [scopes, kinds] of [
    [["accounts:read"], ["account"]],
    [
      ["accounts:read", "messages:read"],
      ["account", "message", "request"],
    ],
    [
      ["messages:write", "accounts:write"],
      ["account", "message", "request"],
    ],
    [["accounts:read", "pools:read"], ["account"]],
  ] as const) {
    const headers = bearer(await tokenFor(m.it, null, scopes));
    const ask: Ask = (method, path) => manage(m.it, method, path, { headers });
    assert.deepEqual(
      (await find(ask, text)).map(({ kind }) => kind),
      kinds,
      scopes.join(),
    );
  }
});
