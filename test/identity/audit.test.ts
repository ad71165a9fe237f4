// What is written down, and what can never get into it.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { actorOf, audit, auditOutcome, commandLine, provisioning } from "#identity/audit.ts";
import { listAuditEntries } from "#store/identity/audit.ts";
import { peopleDeps } from "../accounts/deps.ts";
import { openStore, type Store } from "../store/conformance.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

async function written(id: string) {
  const filter = { accountId: null, actorId: null, action: null, before: null, limit: 200 };
  return (await store.database.run(listAuditEntries, filter)).find((entry) => entry.id === id);
}

test("an entry has the time, the actor, what was done and to what; without an outcome it is done", async () => {
  const deps = peopleDeps(store);
  const id = await audit(deps, {
    actor: provisioning,
    accountId: "acc_1",
    action: "configureGateway",
    target: "gw_1",
    fields: ["settings"],
  });
  assert.deepEqual(
    { ...(await written(id)) },
    {
      id,
      at: deps.clock.now(),
      actor_kind: "provisioning",
      actor_id: null,
      actor_name: "provisioning file",
      account_id: "acc_1",
      action: "configureGateway",
      target: "gw_1",
      detail: '{"fields":["settings"]}',
      outcome: "done",
    },
  );
});

test("what was started ends once; what came of it is its target where it named none", async () => {
  const deps = peopleDeps(store);
  const entry = { actor: commandLine, action: "createUser", outcome: "started" };
  const bare = await audit(deps, entry);
  const aimed = await audit(deps, { ...entry, target: "usr_1" });
  for (const id of [bare, aimed]) await auditOutcome(deps, id, "200", "usr_2");
  await auditOutcome(deps, bare, "500", "usr_3");
  const [one, two] = [await written(bare), await written(aimed)];
  assert.deepEqual([one?.outcome, one?.target], ["200", "usr_2"]);
  assert.deepEqual([two?.outcome, two?.target], ["200", "usr_1"]);
});

test("what strangers typed is cut, and control characters and half characters are taken out", async () => {
  const deps = peopleDeps(store);
  const name = `a\0b\n\u001b[31m\ud800${"🔑".repeat(200)}`;
  const id = await audit(deps, { actor: { kind: "anonymous", id: null, name }, action: "signIn" });
  const entry = await written(id);
  assert.equal([...(entry?.actor_name ?? "")].length, 100);
  assert.match(entry?.actor_name ?? "", /^a b {2}\[31m\ufffd🔑+$/u);
});

test("an actor is the principal, by kind, id and name", () => {
  const principal = {
    kind: "token",
    id: "tok_1",
    name: "ci",
    role: "operator",
    accountId: null,
    scopes: null,
  } as const;
  assert.deepEqual(actorOf(principal), { kind: "token", id: "tok_1", name: "ci" });
});
