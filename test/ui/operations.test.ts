// Every operation of the management API has a caller in the dashboard, or a reason why it has none.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { routes } from "#ui/api/schema.ts";

/** Operations that the dashboard does not call. */
const uncalled: Record<string, string> = {
  setUp: "the page of the set-up link calls it, which works without the dashboard",
  checkSetupLink: "likewise",
  setUpUser: "likewise",
  createSetupCode: "the command line makes it, on the machine of the installation alone",
  registerGateway:
    "a number is registered once, with a PIN that Meta's own pages give; docs/whatsapp.md has the command",
  listPoolMembers: "the pool has its members",
};

const sources = globSync("ui/src/**/*.{ts,tsx}")
  .filter((path) => !path.endsWith("api/schema.ts"))
  .map((path) => readFileSync(path, "utf8"));
const isCalled = (name: string) => sources.some((text) => text.includes(`"${name}"`));

test("no operation is without a caller or a reason", () => {
  const names = Object.keys(routes);
  assert.ok(names.length > 90);
  assert.deepEqual(
    names.filter((name) => !isCalled(name)),
    names.filter((name) => Object.hasOwn(uncalled, name)),
  );
  for (const name of Object.keys(uncalled)) assert.ok(names.includes(name), `${name} is an operation`);
});
