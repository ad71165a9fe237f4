// Routes as acceptance knows them: by what all kinds have in common. What each kind does is tested with the kind.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accountFromRow } from "#accounts/authenticate.ts";
import { adapters } from "#gateways/registry.ts";
import { distributeRoutes, routesAmong } from "#messaging/routes.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { harness } from "../harness.ts";
import { provider } from "../scenarios/provider.ts";
import { readSources } from "../tidy/source.ts";

test("nothing on the way of a send knows a kind of route", () => {
  const kinds = adapters.filter(({ connection }) => connection === "members").map(({ kind }) => kind);
  assert.ok(kinds.length > 0);
  const named = new RegExp(`\\bphones?/|\\b(?:${kinds.join("|")})\\b(?!_)`, "i");
  const files = ["src/messaging/accept", "src/messaging/deliver", "src/store/messages"].flatMap(readSources);
  const findings = files.filter(
    (file) => file.imports.some(({ specifier }) => named.test(specifier)) || named.test(file.bare),
  );
  assert.deepEqual(
    findings.map(({ path }) => path),
    [],
    "Kinds of routes are in messaging/routes.ts and store/routers.ts.",
  );
});

test("an account's routes are read where a request names one, and those alone that are switched on", async () => {
  const it = await harness({ started: false });
  try {
    const { id } = await it.account();
    const plain = await it.gateway({ identifier: "plain", ...provider });
    await it.gateway({ identifier: "phone", kind: "android" });
    const settings = { members: ["phone"] };
    const on = await it.gateway({ identifier: "on", kind: "spread", settings });
    const off = await it.gateway({ identifier: "off", kind: "spread", settings, active: false });
    const { core } = it.system;
    const row = await core.database.run(findAccount, id);
    assert.ok(row);
    const account = accountFromRow(row);
    const among = async (...ids: string[]) =>
      (await routesAmong(core, account, new Set(ids))).map(({ id, kind }) => [id, kind]);
    assert.deepEqual(await among(plain), []);
    assert.deepEqual(await among(plain, on, off), [[on, "spread"]]);
    await distributeRoutes(core);
  } finally {
    await it.close();
  }
});
