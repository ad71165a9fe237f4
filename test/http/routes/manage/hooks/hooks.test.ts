// The hooks of an account through the management API.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type HookRecord, hooksReply, newHookReply } from "#contract/hooks/hooks.ts";
import { maxHooks } from "#contract/limits.ts";
import { auditOf } from "../../../managing.ts";
import { createdBy, dataOf, isDeleted, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed({ started: false });
  path = `/accounts/${(await m.it.account()).id}/hooks`;
  await m.it.gateway({ identifier: "sms-main" });
});
after(() => m.close());

const fields = { channel: "sms", to: ["+4915123456789"], message: "{{title}}" };

test("made, shown, changed, rotated, deleted", async () => {
  const made = await createdBy<HookRecord & { key: string }>(m.operator, path, { name: "alerts", ...fields });
  assert.match(made.key, /^tlh_[\w-]{43}$/);
  assert.deepEqual([made.preset, made.missing, made.per_minute, made.active], [null, "", 30, true]);
  const list = hooksReply.parse((await m.operator("GET", path)).json());
  assert.deepEqual(
    list.data.map(({ name }) => name),
    ["alerts"],
  );
  assert.ok(!JSON.stringify(list).includes(made.key));
  const change = {
    preset: "grafana",
    message: null,
    gateway_identifier: "sms-main",
    revision: made.revision,
  };
  const changed = dataOf<HookRecord>(await m.operator("PATCH", `${path}/${made.id}`, change));
  assert.deepEqual([changed.preset, changed.message, changed.revision], ["grafana", null, made.revision + 1]);
  assert.equal((await m.operator("PATCH", `${path}/${made.id}`, change)).statusCode, 409);
  const rotated = newHookReply.parse((await m.operator("POST", `${path}/${made.id}/rotate-key`)).json()).data;
  assert.notEqual(rotated.key, made.key);
  assert.equal(rotated.revision, changed.revision + 1);
  const audit = JSON.stringify(await auditOf(m.it));
  for (const key of [made.key, rotated.key!]) assert.ok(!audit.includes(key));
  isDeleted(await m.operator("DELETE", `${path}/${made.id}`));
  assert.equal((await m.operator("GET", `${path}/${made.id}`)).statusCode, 404);
});

const key = "a-key-of-Someone-4711-xyz";

const refused: [what: string, change: object, field: string, words: RegExp][] = [
  ["a name that is no part of a URL", { name: "a/b" }, "name", /must be letters/],
  ["no recipients", { to: [] }, "to", /must not be empty/],
  ["too many recipients", { to: Array(21).fill("+4915123456789") }, "to", /at most 20/],
  ["a template with faults", { message: "{{a" }, "message", /has a \{\{ without \}\}/],
  ["no template", { message: null }, "message", /is required without a preset/],
  ["a mail without a subject", { channel: "email" }, "subject", /is required for email without a preset/],
  ["an unknown preset", { preset: "nagios" }, "preset", /must be one of alertmanager, grafana/],
  [
    "a gateway of another channel",
    { gateway_identifier: "sms-main", channel: "whatsapp" },
    "gateway_identifier",
    /is no whatsapp gateway of the account/,
  ],
  ["a key that is easy to guess", { key: "aaaaaaaaaaaaaaaaaaaaaaaa" }, "key", /too easy to guess/],
  ["a key that a URL would change", { key: `${key}&+` }, "key", /must be letters/],
  ["too many a minute", { per_minute: 601 }, "per_minute", /at most 600/],
  ["an unknown field", { template: "x" }, "template", /is not a field/],
  ["a name that is taken", { name: "first" }, "name", /is taken/],
  ["a key that is taken", { key }, "key", /is used by another hook/],
];

for (const [what, change, field, words] of refused)
  test(`${what} is refused`, async () => {
    if (field === "name" || field === "key")
      await m.operator("POST", path, { name: "first", ...fields, key });
    const reply = await m.operator("POST", path, { name: "next", ...fields, ...change });
    assert.equal(reply.statusCode, 422, reply.body);
    assert.match(String(reply.json().errors[field]), words, reply.body);
  });

test("an account has a maximum of hooks", async () => {
  const { data } = hooksReply.parse((await m.operator("GET", path)).json());
  for (let at = data.length; at < maxHooks; at += 1)
    assert.equal((await m.operator("POST", path, { name: `h${at}`, ...fields })).statusCode, 201);
  const reply = await m.operator("POST", path, { name: "over", ...fields });
  assert.match(String(reply.json().errors?.name), /100 hooks at most/, reply.body);
});
