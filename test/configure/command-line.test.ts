// What the command line changes: the account of a new installation, an account's key, and set-up codes.

import assert from "node:assert/strict";
import test from "node:test";
import { createDefaultAccount, createSetupCode, renewApiKey } from "#configure/command-line.ts";
import { harness } from "../harness.ts";

test("an empty installation gets an account whose keys work, once", async () => {
  const it = await harness({ started: false });
  try {
    const { core } = it.system;
    const keys = await createDefaultAccount(core);
    assert.equal((await core.authenticator.authenticate(keys!.apiKey))?.name, "default");
    const pool = (await core.ai.authenticate(keys!.poolKey))?.pool;
    assert.equal(pool?.name, "default");
    const members = pool?.members.map(({ name, provider, priority }) => [name, provider.kind, priority]);
    assert.deepEqual(members, [
      ["sandbox", "sandbox", 1],
      ["sandbox-backup", "sandbox", 2],
    ]);
    assert.equal(await createDefaultAccount(core), null);
  } finally {
    await it.close();
  }
});

test("a renewed key takes the place of the old one; an unknown account has none", async () => {
  const it = await harness({ started: false });
  try {
    const { core } = it.system;
    const old = await createDefaultAccount(core);
    assert.equal(await renewApiKey(core, "unknown"), null);
    const key = await renewApiKey(core, "default");
    assert.equal(await core.authenticator.authenticate(old!.apiKey), null);
    assert.equal((await core.authenticator.authenticate(key!))?.name, "default");
  } finally {
    await it.close();
  }
});

test("a set-up code has its form, with and without an email address", async () => {
  const it = await harness({ started: false });
  try {
    for (const email of [undefined, "ann@example.com"])
      assert.match(await createSetupCode(it.system.core, email), /^tls_[\w-]{43}$/);
  } finally {
    await it.close();
  }
});
