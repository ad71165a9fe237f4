// Dependencies: exact versions, from the public registry.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

/** Each with how many versions it has at minimum. */
const folders = [
  ["", 11],
  ["test/packages/", 11],
  ["integrations/n8n/", 6],
] as const;

for (const [folder, minimum] of folders) {
  test(`every version in ${folder}package.json is exact, and its lock names the public registry alone`, () => {
    const manifest = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as Record<
      string,
      Record<string, string>
    >;
    const versions = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((group) =>
      Object.entries(manifest[group] ?? {}),
    );
    assert.ok(versions.length >= minimum);
    assert.deepEqual(
      versions.filter(
        ([name, version]) =>
          !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) &&
          // The tests have the service's copy, so that both mean the same classes.
          version !== `file:../../node_modules/${name}`,
      ),
      [],
    );
    const lock = readFileSync(`${folder}package-lock.json`, "utf8");
    const places = [...lock.matchAll(/"resolved": "([^"]*)"/g)].map(([, place = ""]) => place);
    assert.deepEqual(
      places.filter((place) => !/^(https:\/\/registry\.npmjs\.org|\.\.\/\.\.\/node_modules)\//.test(place)),
      [],
    );
  });
}
