// The API key: a new one puts the old one out of use, and it is shown again only to a person who proves to be there.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inject } from "../../../../inject.ts";
import { passwordOf } from "../../../managing.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
before(async () => {
  m = await managed({ started: false });
});
after(() => m.close());

const works = async (key: string) =>
  (await inject(m.it.system.app, { url: "/api/account", headers: { "api-key": key } })).statusCode === 200;

test("a new key is shown once; the one before it stops working", async () => {
  const { id, key } = await m.it.account({ name: "renewed" });
  const { api_key } = dataOf<{ api_key: string }>(await m.operator("POST", `/accounts/${id}/api-key`));
  assert.notEqual(api_key, key);
  assert.deepEqual([await works(api_key), await works(key)], [true, false]);
});

test("the key is shown to a person who gives their password again, and to no other person", async () => {
  const { id, key } = await m.it.account({ name: "revealed" });
  const ann = await m.person("ann@example.test", id);
  const path = `/accounts/${id}/api-key/reveal`;
  const shown = dataOf<{ api_key: string }>(
    await ann("POST", path, { password: passwordOf("ann@example.test") }),
  );
  assert.equal(shown.api_key, key);
  const wrong = await ann("POST", path, { password: "wrong" });
  assert.equal(wrong.statusCode, 422);
  assert.ok(!wrong.body.includes(key));
  assert.equal((await ann("POST", path, {})).statusCode, 422);
  for (const ask of [m.operator, await m.member(id)]) {
    assert.equal(
      (await ask("POST", path, { password: passwordOf("ann@example.test") })).statusCode,
      403,
      "a program has no password",
    );
  }
});

test("passwords cannot be tried out on an open session", async () => {
  const { id } = await m.it.account({ name: "guessed" });
  const bob = await m.person("bob@example.test", id);
  const replies = [];
  for (let i = 0; i < 12; i++)
    replies.push(
      (await bob("POST", `/accounts/${id}/api-key/reveal`, { password: `guess ${i}` })).statusCode,
    );
  assert.ok(replies.includes(429), String(replies));
});

test("where only hashes are kept, nothing can be shown, not even a copy from before", async () => {
  for (const settings of [{ showApiKeys: false }, {}]) {
    const own = await managed({ started: false, settings });
    const { id } = await own.it.account();
    const eve = await own.person("eve@example.test", id);
    own.it.system.core.showApiKeys = false;
    const reply = await eve("POST", `/accounts/${id}/api-key/reveal`, {
      password: passwordOf("eve@example.test"),
    });
    assert.equal(reply.statusCode, 409, reply.body);
    await own.close();
  }
});
