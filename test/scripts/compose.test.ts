// The compose files: they name settings that exist, and Caddy reads its file.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { readConfig } from "#config.ts";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), "utf8");

interface Service {
  logging?: { options: Record<string, string> };
  env_file?: { path: string; required: boolean }[];
  volumes?: (string | { source: string; target: string })[];
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

for (const name of files)
  test(`${name} bounds its logs, and gives the service its .env and a provisioning file`, () => {
    const { services } = composed(name);
    for (const [service, { logging }] of Object.entries(services))
      assert.deepEqual(logging?.options, { "max-size": "20m", "max-file": "5" }, service);
    const own = Object.entries(services).filter(([service]) => service.startsWith("trunkline"));
    assert.ok(own.length > 0);
    for (const [service, { env_file, environment, volumes = [] }] of own) {
      assert.deepEqual(env_file, [{ path: ".env", required: false }], service);
      const target = "/etc/trunkline/provision.yaml";
      assert.equal(environment?.TRUNKLINE_PROVISION, `\${TRUNKLINE_PROVISION:+${target}}`);
      const mount = volumes.find((volume) => typeof volume === "object" && volume.target === target);
      assert.ok(mount !== undefined && typeof mount === "object");
      assert.equal(mount.source, `\${TRUNKLINE_PROVISION:-/dev/null}`);
      // A setting for the machine would leave the container without its port or its volume.
      assert.deepEqual(
        [environment?.TRUNKLINE_HOST, environment?.TRUNKLINE_PORT, environment?.TRUNKLINE_DATA_DIR],
        ["0.0.0.0", 8080, "/data"],
      );
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

/** A copy of make-secrets.sh in an empty folder, run with what it uses in its PATH, and `openssl` if it is passed. */
function secretsScript(t: { after(done: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-compose-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const tool of ["sh", "dirname", "mkdir", "cat", "mv", "rm", "chmod"]) {
    const folders = (process.env.PATH ?? "").split(delimiter);
    const place = folders.map((each) => join(each, tool)).find((each) => existsSync(each));
    assert.ok(place, tool);
    symlinkSync(place, join(bin, tool));
  }
  const script = join(folder, "make-secrets.sh");
  spawnSync("cp", [path("deploy/compose/make-secrets.sh"), script]);
  const secrets = join(folder, "secrets");
  const run = (openssl?: string) => {
    if (openssl !== undefined)
      writeFileSync(join(bin, "openssl"), `#!/bin/sh\n${openssl}\n`, { mode: 0o755 });
    return spawnSync("sh", [script], { encoding: "utf8", env: { PATH: bin } });
  };
  const sizes = () =>
    existsSync(secrets) ? readdirSync(secrets).map((name) => statSync(join(secrets, name)).size) : [];
  return { run, secrets, sizes };
}

test("make-secrets.sh without openssl says so, and makes nothing", (t) => {
  const { run, sizes } = secretsScript(t);
  const { status, stdout, stderr } = run();
  assert.deepEqual([status, stdout, sizes()], [1, "", []]);
  assert.match(stderr, /openssl/);
});

test("make-secrets.sh with an openssl that fails leaves no empty secret, and the next run makes them", (t) => {
  const { run, secrets, sizes } = secretsScript(t);
  const failed = run("exit 1");
  assert.deepEqual([failed.status, failed.stdout, sizes()], [1, "", []]);
  // What a script that went on left behind.
  for (const name of ["postgres_password", "master_key", "metrics_token"])
    writeFileSync(join(secrets, name), "", { mode: 0o444 });
  writeFileSync(join(secrets, "database_url"), "postgres://trunkline:@postgres/trunkline");
  const { status, stderr } = run('echo "random$3"');
  assert.equal(status, 0, stderr);
  const read = (name: string) => readFileSync(join(secrets, name), "utf8");
  assert.equal(read("database_url"), `postgres://trunkline:${read("postgres_password")}@postgres/trunkline`);
  assert.deepEqual([read("master_key"), read("metrics_token")], ["random32", "random24"]);
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
