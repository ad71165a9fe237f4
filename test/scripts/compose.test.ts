// The compose files: they name settings that exist, and Caddy reads its file.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { readConfig } from "#config.ts";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), "utf8");

interface Service {
  environment?: Record<string, unknown>;
  secrets?: string[];
  read_only?: boolean;
  cap_drop?: string[];
}
interface Compose {
  services: Record<string, Service>;
  secrets?: Record<string, { file: string }>;
}
const files = ["compose.yaml", "deploy/compose/compose.yaml"];
const composed = (name: string) => parse(read(name), { merge: true }) as Compose;

for (const name of files)
  test(`${name} names settings that exist and secrets that it declares, and gives no service more than it needs`, () => {
    const { services, secrets = {} } = composed(name);
    for (const [service, { environment = {}, secrets: used = [], read_only, cap_drop }] of Object.entries(
      services,
    )) {
      assert.deepEqual([read_only, cap_drop], [true, ["ALL"]], service);
      for (const secret of used) assert.ok(secret in secrets, `${service}: ${secret}`);
      const own = Object.entries(environment).filter(
        ([key]) => key.startsWith("TRUNKLINE_") && service !== "caddy",
      );
      const named = Object.fromEntries(own.map(([key]) => [key, ""]));
      const unknown = readConfig(named);
      const errors =
        "errors" in unknown ? unknown.errors.filter((error) => error.includes("not a setting")) : [];
      assert.deepEqual(errors, [], service);
    }
  });

test("make-secrets.sh makes each secret that is declared, replaces none, and keeps the folder closed", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-compose-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const script = join(folder, "make-secrets.sh");
  spawnSync("cp", [path("deploy/compose/make-secrets.sh"), script]);
  const run = () => spawnSync("sh", [script], { encoding: "utf8" });
  assert.equal(run().status, 0);
  const { secrets = {} } = composed("deploy/compose/compose.yaml");
  const made = readdirSync(join(folder, "secrets")).sort();
  assert.deepEqual(
    made,
    Object.values(secrets)
      .map(({ file }) => file.replace("./secrets/", ""))
      .sort(),
  );
  const contents = () => made.map((name) => readFileSync(join(folder, "secrets", name), "utf8"));
  const before = contents();
  assert.equal(run().status, 0);
  assert.deepEqual(contents(), before);
  assert.equal(statSync(join(folder, "secrets")).mode & 0o777, 0o700);
});

const caddy = spawnSync("caddy", ["version"]).status === 0 ? false : "caddy is not here";
test("Caddy reads its file", { skip: caddy }, () => {
  const { status, stderr } = spawnSync(
    "caddy",
    ["validate", "--adapter", "caddyfile", "--config", path("deploy/compose/Caddyfile")],
    { encoding: "utf8", env: { ...process.env, TRUNKLINE_DOMAIN: "http://127.0.0.1:1" } },
  );
  assert.equal(status, 0, stderr);
});
