// Webhook endpoints: every wrong value is refused in its place, secrets are sealed and shown only when they were
// made here, and an endpoint that was disabled is enabled by nothing but what says so.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { accountInput } from "#configure/account.ts";
import {
  createWebhook,
  removeWebhook,
  rotateSigningSecret,
  type SaveWebhookResult,
  updateWebhook,
  upsertWebhook,
  webhookChanges,
  webhookInput,
  webhookIssues,
} from "#configure/webhook.ts";
import { settleDeliveries } from "#store/webhooks/deliveries.ts";
import { storeTestEvent } from "#store/webhooks/delivery-log.ts";
import { endpointSecretContext, findEndpoint, listEndpoints } from "#store/webhooks/endpoints.ts";
import { openUrl, shownUrl } from "#webhooks/endpoint-url.ts";
import { isSigningSecret } from "#webhooks/sign.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

const secretOf = (byte: number) => `whsec_${Buffer.alloc(24, byte).toString("base64")}`;
const url = "https://receiver.example.com/hook";
let open: Configuring;
let accountId: string;
let made = 0;

before(async () => {
  open = await openConfiguring();
});
after(() => open.close());
beforeEach(async () => {
  made += 1;
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: `acme ${made}` }));
});

const saved = (result: SaveWebhookResult) => {
  assert.ok(result.kind === "saved", JSON.stringify(result));
  return result;
};
const create = async (input: object = {}) =>
  saved(await createWebhook(open.deps, accountId, webhookInput.parse({ url, ...input })));
const provision = async (input: object = {}) =>
  saved(await upsertWebhook(open.deps, accountId, webhookInput.parse({ url, ...input })));
const update = (id: string, changes: object) =>
  updateWebhook(open.deps, accountId, id, webhookChanges.parse(changes));
const row = async (id: string) => {
  const endpoint = await open.deps.database.run(findEndpoint, id);
  assert.ok(endpoint);
  return endpoint;
};
const unsealed = async (id: string) => {
  const { secret, old_secret } = await row(id);
  return [secret, old_secret].map((text) => text && open.deps.sealer.unseal(text, endpointSecretContext(id)));
};

/** Something waits for it, and then it answers 410. */
async function disable(id: string): Promise<void> {
  const { database, clock, newId } = open.deps;
  const at = clock.now();
  const event = { id: newId("evt"), type: "webhook.test", at, body: "{}" };
  await database.run(storeTestEvent, { accountId, endpointId: id, event });
  await database.run(settleDeliveries, {
    endpointId: id,
    eventId: event.id,
    attempt: 1,
    at,
    line: { at, ms: 1, status: 410, reason: "It answered 410.", answer: "" },
    outcome: { kind: "failed", dueAt: at + 5000, gone: true },
  });
  assert.equal((await row(id)).active, 0);
}

test("an endpoint is saved with its defaults, its secret sealed to its row and shown once", async () => {
  const notified = open.deps.notified.lanes;
  const { id, secret } = await create();
  assert.ok(secret !== null && isSigningSecret(secret));
  const { account_id, events, active, old_secret, created_at } = await row(id);
  assert.deepEqual(
    [account_id, events, active, old_secret, created_at],
    [accountId, '["message.*"]', 1, null, open.deps.clock.now()],
  );
  assert.deepEqual(await unsealed(id), [secret, null]);
  assert.ok(!open.dump().includes(secret.slice(6)));
  assert.throws(() => open.deps.sealer.unseal("v1.x", endpointSecretContext(id)));
  assert.ok(open.deps.notified.lanes > notified);
});

test("a secret that was given is not shown again", async () => {
  const { id, secret } = await create({ secret: secretOf(1), active: false, events: ["*", "gateway.*"] });
  assert.equal(secret, null);
  assert.deepEqual(await unsealed(id), [secretOf(1), null]);
  assert.deepEqual([(await row(id)).active, (await row(id)).events], [0, '["*","gateway.*"]']);
});

test("what is wrong is said in its place", () => {
  for (const [input, place] of [
    [{}, "url"],
    [{ url, secret: "whsec_c2hvcnQ=" }, "secret"],
    [{ url, secret: "hunter2" }, "secret"],
    [{ url, events: [] }, "events"],
    [{ url, events: ["message.sent", "message.snet"] }, "events.1"],
    [{ url, events: ["mess*"] }, "events.0"],
    [{ url, active: "yes" }, "active"],
    [{ url, colour: "red" }, ""],
  ] as const) {
    const result = webhookInput.safeParse(input);
    assert.deepEqual(
      result.error?.issues.map(({ path }) => path.join(".")),
      [place],
    );
    assert.ok(!JSON.stringify(result.error?.issues).includes("hunter2"));
  }
});

test("a url that is not allowed is refused, when it is created and when it is changed", async () => {
  const { id } = await create();
  for (const bad of ["http://127.0.0.1/", "ftp://example.com/", "nonsense", "https://user:pw@example.com/"]) {
    assert.equal(webhookIssues(open.deps.outbound, { url: bad })[0]?.path[0], "url");
    const input = webhookInput.parse({ url: bad });
    assert.equal((await createWebhook(open.deps, accountId, input)).kind, "invalid");
    assert.equal((await update(id, { url: bad })).kind, "invalid");
  }
  assert.deepEqual(webhookIssues(open.deps.outbound, {}), []);
});

test("a url is sealed to its row; sent back as it is shown it stays, and no other mask is taken for a url", async () => {
  const whole = `${url}?key=canary-in-the-query`;
  const { id } = await create({ url: whole });
  const opened = async () => openUrl(open.deps.sealer, await row(id));
  assert.ok(!open.dump().includes("canary-in-the-query"));
  assert.ok(!open.dump().includes("receiver.example.com"));
  assert.equal(await opened(), whole);
  assert.equal(
    openUrl(open.deps.sealer, { ...(await row(id)), id: "whe_another" }),
    null,
    "bound to its row",
  );
  const form = shownUrl(whole);
  assert.equal(form, `${url}?••••`);
  await disable(id);
  saved(await update(id, { url: form, events: ["*"] }));
  assert.deepEqual(
    [await opened(), (await row(id)).events, (await row(id)).active],
    [whole, '["*"]', 0],
    "the url is the same one, so it does not enable the endpoint",
  );
  // As browsers and libraries spell it.
  saved(await update(id, { url: new URL(form).href }));
  assert.equal(await opened(), whole);
  for (const bad of [`${url}/elsewhere?••••`, `${form}&more=1`, "https://evil.example.com/?••••", "••••"]) {
    const refused = await update(id, { url: bad });
    assert.ok(refused.kind === "invalid" && /is masked/.test(refused.issues[0]!.message), bad);
    const input = webhookInput.parse({ url: bad });
    assert.equal((await createWebhook(open.deps, accountId, input)).kind, "invalid", bad);
  }
  assert.equal(await opened(), whole);
  saved(await update(id, { url }));
  assert.equal(await opened(), url, "without its query it is another url");
});

test("one endpoint for a url, however it is spelled: created it is taken, provisioned it is changed", async () => {
  const { id } = await create({ url: "https://Receiver.example.com:443" });
  const same = webhookInput.parse({ url: "https://receiver.example.com/", events: ["*"] });
  const taken = { kind: "invalid", issues: [{ path: ["url"], message: "is taken" }] };
  assert.deepEqual(await createWebhook(open.deps, accountId, same), taken);
  assert.deepEqual(await upsertWebhook(open.deps, accountId, same), { kind: "saved", id, secret: null });
  assert.equal((await row(id)).events, '["*"]');
  const other = await create();
  assert.deepEqual(await update(other.id, { url: "https://receiver.example.com/" }), taken);
});

test("fifty endpoints, and not one more", async () => {
  for (let i = 0; i < 50; i++) await create({ url: `${url}/${i}` });
  const more = await createWebhook(open.deps, accountId, webhookInput.parse({ url }));
  assert.ok(more.kind === "invalid" && /50/.test(more.issues[0]!.message));
  assert.equal((await open.deps.database.run(listEndpoints, accountId)).length, 50);
});

test("another account's endpoint is not there", async () => {
  const { id } = await create();
  const own = accountId;
  accountId = await upsertAccount(open.deps, accountInput.parse({ name: "stranger" }));
  assert.deepEqual(await update(id, { active: false }), { kind: "not_found" });
  assert.deepEqual(await rotateSigningSecret(open.deps, accountId, id), { kind: "not_found" });
  assert.equal(await removeWebhook(open.deps, accountId, id), false);
  assert.deepEqual([(await row(id)).active, (await row(id)).account_id], [1, own]);
});

test("a new secret signs with the one before it for 24 h; the same one again changes nothing", async () => {
  const { id } = await create({ secret: secretOf(1) });
  const until = open.deps.clock.now() + 24 * 3_600_000;
  await provision({ secret: secretOf(1) });
  assert.deepEqual(await unsealed(id), [secretOf(1), null]);
  await provision({ secret: secretOf(2) });
  assert.deepEqual(
    [...(await unsealed(id)), (await row(id)).old_secret_until],
    [secretOf(2), secretOf(1), until],
  );
  await provision({});
  assert.deepEqual(await unsealed(id), [secretOf(2), secretOf(1)], "none given: as it is");
  const { secret } = saved(await rotateSigningSecret(open.deps, accountId, id));
  assert.ok(secret !== null && isSigningSecret(secret));
  assert.deepEqual(await unsealed(id), [secret, secretOf(2)]);
});

test("a disabled endpoint: its own entry again leaves it, `active: true` and another url enable it", async () => {
  const { id } = await create();
  await disable(id);
  await provision({ events: ["*"] });
  assert.equal((await row(id)).active, 0, "an entry that does not say so");
  await provision({ active: true });
  assert.deepEqual([(await row(id)).active, (await row(id)).disabled_reason], [1, null]);
  await disable(id);
  saved(await update(id, { url: `${url}/new` }));
  assert.equal((await row(id)).active, 1);
  saved(await update(id, { active: false }));
  saved(await update(id, { url: `${url}/newer` }));
  assert.equal((await row(id)).active, 0, "switched off by hand, it stays off");
});

test("switched off, nothing waits; removed, nothing is left", async () => {
  const { id } = await create();
  const { database, clock, newId } = open.deps;
  const event = { id: newId("evt"), type: "webhook.test", at: clock.now(), body: "{}" };
  await database.run(storeTestEvent, { accountId, endpointId: id, event });
  saved(await update(id, { active: false }));
  const [delivery] = open.query(
    "select status, due_at, log from webhook_deliveries where event_id = ?",
    event.id,
  );
  assert.deepEqual([delivery?.status, delivery?.due_at], ["failed", null]);
  assert.match(String(delivery?.log), /The endpoint was switched off\./);
  saved(await update(id, { active: true }));
  assert.equal(await removeWebhook(open.deps, accountId, id), true);
  assert.equal(await removeWebhook(open.deps, accountId, id), false);
  assert.ok(!open.query("select endpoint_id as id from webhook_deliveries").some((each) => each.id === id));
  assert.deepEqual(open.query("select id from lanes where id = ?", id), []);
});
