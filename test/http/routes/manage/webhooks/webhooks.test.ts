// Webhook endpoints through the management API: secrets are shown only when they were made, and once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  newWebhookReply,
  rotatedWebhookReply,
  webhookReply,
  webhooksReply,
} from "#contract/manage/webhooks.ts";
import { isSigningSecret } from "#webhooks/sign.ts";
import { createdBy, dataOf, isDeleted, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed({ started: false });
  path = `/accounts/${(await m.it.account()).id}/webhooks`;
});
after(() => m.close());

interface Shown {
  id: string;
  name: string;
  url: string;
  events: string[];
  active: boolean;
  old_secret_until: string | null;
  secret: string | null;
}

let made = 0;
const url = () => `https://receiver.example.com/${++made}?token=abc`;
const create = async (input: object = {}) =>
  await createdBy<Shown>(m.operator, path, { url: url(), ...input });

test("created, its secret is shown this once, and everything else can be read again", async () => {
  const reply = await m.operator("POST", path, { url: url() });
  const { secret, ...shown } = newWebhookReply.parse(reply.json()).data;
  assert.ok(secret !== null && isSigningSecret(secret));
  const found = await m.operator("GET", `${path}/${shown.id}`);
  assert.deepEqual(webhookReply.parse(found.json()).data, shown);
  const list = await m.operator("GET", path);
  assert.deepEqual(
    webhooksReply.parse(list.json()).data.find(({ id }) => id === shown.id),
    shown,
  );
  for (const later of [found, list]) assert.ok(!later.body.includes(secret.slice(6)));
  assert.deepEqual([shown.active, shown.events, shown.disabled_at], [true, ["message.*"], null]);
  assert.ok(!m.it.log.text().includes(secret.slice(6)) && !m.it.log.text().includes("token=abc"));
});

test("a secret that is given is never shown", async () => {
  const secret = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
  const reply = await m.operator("POST", path, { url: url(), secret });
  assert.equal(dataOf<Shown>(reply).secret, null);
  assert.ok(!reply.body.includes(secret.slice(6)));
});

test("faults are reported by field, of a url that is taken too, and values are not repeated", async () => {
  const bad = { url: "https://x.test/", secret: "hunter2", events: ["message.snet"], colour: "red" };
  const reply = await m.operator("POST", path, bad);
  assert.equal(reply.statusCode, 422);
  assert.deepEqual(Object.keys(reply.json().errors).sort(), ["colour", "events.0", "secret"]);
  assert.ok(!reply.body.includes("hunter2"));
  const forbidden = await m.operator("POST", path, { url: "http://127.0.0.1/" });
  assert.deepEqual(Object.keys(forbidden.json().errors), ["url"]);
  const taken = url();
  assert.equal((await create({ url: taken })).url, taken.replace("token=abc", "••••"));
  const other = await create();
  for (const refused of [
    await m.operator("POST", path, { url: taken }),
    await m.operator("PATCH", `${path}/${other.id}`, { url: taken }),
  ])
    assert.deepEqual([refused.statusCode, refused.json().errors], [422, { url: ["is taken"] }]);
});

test("a change is of what is given alone", async () => {
  const { secret: _, ...before } = await create();
  const patch = async (change: object) =>
    dataOf<Shown>(await m.operator("PATCH", `${path}/${before.id}`, change));
  assert.deepEqual(await patch({}), { ...before, revision: 2 });
  assert.deepEqual(await patch({ events: ["*"], active: false }), {
    ...before,
    revision: 3,
    events: ["*"],
    active: false,
  });
  assert.deepEqual(await patch({ active: true }), { ...before, revision: 4, events: ["*"] });
});

test("it is called as it is named, or else as the host of its url", async () => {
  const { id, name } = await create();
  assert.equal(name, "receiver.example.com");
  const rename = async (change: object) =>
    dataOf<Shown>(await m.operator("PATCH", `${path}/${id}`, change)).name;
  assert.equal(await rename({ name: "Bookkeeping" }), "Bookkeeping");
  assert.equal(await rename({ url: "https://other.example.com:8443/k/1234" }), "Bookkeeping");
  assert.equal(await rename({ name: null }), "other.example.com:8443");
  assert.equal((await create({ name: "Bookkeeping" })).name, "Bookkeeping");
  for (const [bad, message] of [
    ["", "must not be empty"],
    ["x".repeat(61), "must have at most 60 characters"],
  ] as const) {
    const refused = await m.operator("PATCH", `${path}/${id}`, { name: bad });
    assert.deepEqual([refused.statusCode, refused.json().errors], [422, { name: [message] }]);
  }
});

test("a rotated secret is new, and the one before it is said to sign for a day", async () => {
  const { id, secret } = await create();
  const reply = await m.operator("POST", `${path}/${id}/rotate-secret`);
  const rotated = rotatedWebhookReply.parse(reply.json()).data;
  assert.ok(rotated.secret !== null && rotated.secret !== secret && isSigningSecret(rotated.secret));
  const until = new Date(m.it.clock.now() + 86_400_000).toISOString();
  assert.equal(rotated.old_secret_until, until);
  await m.it.advance(86_400_000);
  const found = dataOf<Shown>(await m.operator("GET", `${path}/${id}`));
  assert.equal(found.old_secret_until, null);
});

test("deleted, it is gone, and deleting it again is 404", async () => {
  const { id } = await create();
  isDeleted(await m.operator("DELETE", `${path}/${id}`));
  for (const [method, of] of [
    ["DELETE", `${path}/${id}`],
    ["GET", `${path}/${id}`],
    ["PATCH", `${path}/${id}`],
    ["POST", `${path}/${id}/rotate-secret`],
    ["GET", `${path}/..%2f..`],
  ] as const)
    assert.equal((await m.operator(method, of, method === "PATCH" ? {} : undefined)).statusCode, 404, of);
});
