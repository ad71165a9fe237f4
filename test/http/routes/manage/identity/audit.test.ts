// The audit log over HTTP: filters, pages, and an account's own part of it.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { audit, provisioning } from "#identity/audit.ts";
import { type Harness, harness } from "../../../../harness.ts";
import { bearer, type Entry, manage, tokenFor } from "../../../managing.ts";

let it: Harness;
let account: { id: string };
let other: { id: string };
let operator: Record<string, string>;
let operatorId: string;
before(async () => {
  it = await harness({ started: false });
  other = await it.account({ name: "other" });
  account = await it.account();
  operator = bearer(await tokenFor(it));
  operatorId = (await manage(it, "GET", "/session", { headers: operator })).json().data.id;
  const { database, core } = it.system;
  for (const accountId of [account.id, other.id, null]) {
    await audit(
      { database, clock: it.clock, newId: core.newId },
      { actor: provisioning, accountId, action: "configureAccount", target: "x", fields: ["plan"] },
    );
    await it.advance(1_000);
  }
  await manage(it, "POST", "/tokens", { headers: operator, body: { name: "logged", role: "operator" } });
});
after(() => it?.close());

async function read(query: string, path = "/audit", headers = operator) {
  const reply = await manage(it, "GET", `${path}${query}`, { headers });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json() as { data: Entry[]; next_cursor: string | null };
}

test("newest first, each entry whole", async () => {
  const { data, next_cursor } = await read("");
  assert.equal(next_cursor, null);
  assert.deepEqual(
    data.map(({ action }) => action),
    ["createManagementToken", ...Array(3).fill("configureAccount")],
  );
  assert.deepEqual(data.at(-1), {
    id: data.at(-1)!.id,
    at: "2026-01-01T00:00:00.000Z",
    actor: { kind: "provisioning", id: null, name: "provisioning file" },
    account: account.id,
    action: "configureAccount",
    target: "x",
    fields: ["plan"],
    outcome: "done",
  });
});

test("pages follow each other without a gap", async () => {
  const all = (await read("")).data;
  const seen: Entry[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: Entry[]; next_cursor: string | null } = await read(
      `?limit=1${cursor === null ? "" : `&cursor=${cursor}`}`,
    );
    seen.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, all);
});

test("filters by account, actor and action", async () => {
  assert.equal((await read(`?account=${other.id}`)).data.length, 1);
  assert.equal((await read("?action=configureAccount")).data.length, 3);
  assert.equal((await read(`?actor=${operatorId}`)).data.length, 1);
  assert.equal((await read(`?actor=${operatorId}&action=configureAccount`)).data.length, 0);
  for (const query of ["actor=a%20b", "account=%00", "limit=0", "who=x"])
    assert.equal((await manage(it, "GET", `/audit?${query}`, { headers: operator })).statusCode, 422, query);
});

test("a member sees its own account's entries, and cannot ask for others'", async () => {
  const member = bearer(await tokenFor(it, account.id));
  const path = `/accounts/${account.id}/audit`;
  const { data } = await read("", path, member);
  assert.deepEqual(
    data.map((entry) => entry.account),
    [account.id],
  );
  const asked = await manage(it, "GET", `${path}?account=${other.id}`, { headers: member });
  assert.equal(asked.statusCode, 422);
  assert.equal((await manage(it, "GET", "/audit", { headers: member })).statusCode, 403);
});
