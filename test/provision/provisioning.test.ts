// The file of a running process: one after another, and none with an error.

import assert from "node:assert/strict";
import test from "node:test";
import { Provisioning } from "#provision/provisioning.ts";
import { findAccountByName } from "#store/accounts/accounts.ts";
import { openConfiguring } from "../configure/deps.ts";

test("files that come at once are applied one after another, and a faulty one between them changes nothing", async () => {
  const open = await openConfiguring();
  try {
    const provisioning = new Provisioning(open.deps);
    const files = [
      { accounts: [{ name: "acme", country: "DE" }] },
      { accounts: [{ name: "acme", country: "Germany" }] },
      { accounts: [{ name: "acme", country: "FR", webhooks: [{ url: "ftp://hook.test" }] }] },
      { accounts: [{ name: "acme", country: "FR" }] },
    ];
    const results = await Promise.all(files.map((file) => provisioning.apply(file)));
    assert.deepEqual(
      results.map(({ changes, made, errors }) => [changes, made.length, errors.length > 0]),
      [
        [["new: account acme"], 1, false],
        [[], 0, true],
        [[], 0, true],
        [["changed: account acme (country)"], 0, false],
      ],
    );
    assert.equal((await open.deps.database.run(findAccountByName, "acme"))?.country, "FR");
    const { variables, left_out } = await provisioning.export();
    assert.deepEqual([variables, left_out], [["ACME_API_KEY"], []]);
  } finally {
    await open.close();
  }
});
