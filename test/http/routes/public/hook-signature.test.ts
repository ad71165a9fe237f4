// Signed hooks: a request proves itself by X-Hub-Signature-256, beside the hook's key or instead of it.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import type { HookRecord } from "#contract/hooks/hooks.ts";
import { inject } from "../../../inject.ts";
import { createdBy, dataOf, type Managed, managed } from "../manage/managed.ts";

let m: Managed;
let account: { id: string };
before(async () => {
  m = await managed();
  account = await m.it.account({ country: "DE" });
  await m.it.gateway({ identifier: "sms-main", default: true });
});
after(() => m.close());

type Made = HookRecord & { key: string; secret: string };
let made = 0;

async function hookOf(fields: object = {}): Promise<Made> {
  made += 1;
  const body = {
    name: `hook-${made}`,
    channel: "sms",
    to: ["+4915123456789"],
    message: "{{title}}",
    ...fields,
  };
  return await createdBy<Made>(m.operator, `/accounts/${account.id}/hooks`, body);
}

let clients = 0;
async function post(
  { name, key }: { name: string; key: string | null },
  body: string,
  headers: Record<string, string> = {},
) {
  clients += 1;
  return await inject(m.it.system.app, {
    method: "POST",
    url: `/hooks/${name}${key === null ? "" : `?key=${key}`}`,
    remoteAddress: `198.51.100.${clients}`,
    headers: { "content-type": "application/json", ...headers },
    payload: body,
  });
}

const signatureOf = (secret: string, body: string) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

test("a signed hook takes what its secret signed, beside the key or instead of it", async () => {
  const signed = await hookOf({ signed: true });
  const other = await hookOf({ signed: true });
  const unsigned = await hookOf();
  const body = JSON.stringify({ title: "Signed" });
  const right = signatureOf(signed.secret, body);
  const without = { name: signed.id, key: null };
  const rows: [
    what: string,
    hook: { name: string; key: string | null },
    signature: string | null,
    status: number,
  ][] = [
    ["the key and the signature", signed, right, 200],
    ["the id and the signature", without, right, 200],
    ["the id, the key and the signature", { ...signed, name: signed.id }, right, 200],
    ["the key alone", signed, null, 401],
    ["the name and the signature", { name: signed.name, key: null }, right, 401],
    ["the id alone", without, null, 401],
    ["another hook's signature", without, signatureOf(other.secret, body), 401],
    ["a signature of another body", without, signatureOf(signed.secret, `${body} `), 401],
    ["a signature in capitals", without, right.toUpperCase(), 401],
    ["a shorter signature", without, right.slice(0, -1), 401],
    ["SHA-1's name", without, right.replace("sha256", "sha1"), 401],
    ["an empty signature", without, "", 401],
    [
      "the key's hash as secret",
      without,
      signatureOf(createHash("sha256").update(signed.key).digest("hex"), body),
      401,
    ],
    ["the key as secret", without, signatureOf(signed.key, body), 401],
    ["an id without a hook", { name: "hook_none", key: null }, right, 401],
    [
      "the id of a hook that is not signed",
      { name: unsigned.id, key: null },
      signatureOf(unsigned.secret, body),
      401,
    ],
  ];
  for (const [what, hook, signature, status] of rows) {
    const headers: Record<string, string> = signature === null ? {} : { "x-hub-signature-256": signature };
    const reply = await post(hook, body, headers);
    assert.equal(reply.statusCode, status, `${what}: ${reply.body}`);
  }
  const rotated = dataOf<Made>(
    await m.operator("POST", `/accounts/${account.id}/hooks/${signed.id}/rotate-key`),
  );
  assert.equal((await post(without, body, { "x-hub-signature-256": right })).statusCode, 401);
  const again = { "x-hub-signature-256": signatureOf(rotated.secret, body) };
  assert.equal((await post(without, body, again)).statusCode, 200);
  const shown = await m.operator("GET", `/accounts/${account.id}/hooks/${signed.id}`);
  assert.ok(!shown.body.includes(rotated.secret));
});

test("wrong signatures are slowed down, and take nothing from the hook's limit", async () => {
  const hook = await hookOf({ signed: true, per_minute: 1 });
  const body = JSON.stringify({ title: "Guess" });
  const statuses = new Map<number, number>();
  for (let i = 0; i < 300; i += 1) {
    const { statusCode } = await inject(m.it.system.app, {
      method: "POST",
      url: `/hooks/${hook.id}`,
      remoteAddress: "203.0.113.77",
      headers: { "content-type": "application/json", "x-hub-signature-256": `sha256=${i}` },
      payload: body,
    });
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  }
  assert.deepEqual([...statuses.keys()].sort(), [401, 429]);
  const right = { "x-hub-signature-256": signatureOf(hook.secret, body) };
  assert.equal((await post({ name: hook.id, key: null }, body, right)).statusCode, 200);
  assert.equal((await post({ name: hook.id, key: null }, body, right)).statusCode, 429);
});
