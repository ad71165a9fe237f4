// The Helm chart: it names settings that exist, has the version of the package, and refuses values that contradict each other.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "#config.ts";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), "utf8");
const chart = "deploy/helm/trunkline";

test("the chart has the version of the package, and the settings that it names exist", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const own = parse(read(`${chart}/Chart.yaml`)) as { version: string; appVersion: string };
  assert.deepEqual([own.version, own.appVersion], [version, version]);
  const template = read(`${chart}/templates/deployment.yaml`);
  const named = [...template.matchAll(/name: (TRUNKLINE_\w+)/g)].map(([, name = ""]) => name);
  assert.ok(named.includes("TRUNKLINE_DATABASE_URL_FILE"));
  const config = readConfig(Object.fromEntries(named.map((name) => [name, ""])));
  const unknown = "errors" in config ? config.errors.filter((error) => error.includes("not a setting")) : [];
  assert.deepEqual(unknown, []);
});

interface Resource {
  kind: string;
  spec: {
    replicas: number;
    strategy: { type: string };
    template: { spec: { volumes: Record<string, unknown>[] } };
  };
}

/** What helm makes of these values, by kind; its complaint if it makes nothing. */
function rendered(...values: string[]): Map<string, Resource> | string {
  const set = ["image.repository=registry.example/trunkline", ...values].flatMap((value) => ["--set", value]);
  const { status, stdout, stderr } = spawnSync(
    "helm",
    ["template", "own", path(chart), "--kube-version", "1.34.0", ...set],
    { encoding: "utf8" },
  );
  if (status !== 0) return stderr;
  const resources = parseAllDocuments(stdout).map((document) => document.toJS() as Resource);
  return new Map(resources.map((resource) => [resource.kind, resource]));
}

const skip = spawnSync("helm", ["version"]).status === 0 ? false : "helm is not here";

test("helm finds no fault in the chart", { skip }, () => {
  const { status, stdout } = spawnSync(
    "helm",
    ["lint", "--strict", "--kube-version", "1.34.0", "--set", "image.repository=own", path(chart)],
    { encoding: "utf8" },
  );
  assert.equal(status, 0, stdout);
});

test("SQLite has one replica and a claim; PostgreSQL has replicas that keep nothing", { skip }, () => {
  const sqlite = rendered("replicas=5");
  assert.ok(typeof sqlite !== "string", String(sqlite));
  assert.deepEqual([...sqlite.keys()].sort(), [
    "Deployment",
    "PersistentVolumeClaim",
    "Pod",
    "Service",
    "ServiceAccount",
  ]);
  assert.equal(sqlite.get("Deployment")?.spec.replicas, 1);
  assert.equal(sqlite.get("Deployment")?.spec.strategy.type, "Recreate");
  const postgres = rendered("database.postgres=true", "existingSecret=own", "replicas=3");
  assert.ok(typeof postgres !== "string", String(postgres));
  assert.deepEqual([...postgres.keys()].sort(), [
    "Deployment",
    "Pod",
    "PodDisruptionBudget",
    "Service",
    "ServiceAccount",
  ]);
  assert.equal(postgres.get("Deployment")?.spec.replicas, 3);
  assert.deepEqual(postgres.get("Deployment")?.spec.strategy, {
    type: "RollingUpdate",
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  });
  const stopped = rendered("database.postgres=true", "existingSecret=own", "strategy=Recreate");
  assert.ok(typeof stopped !== "string", String(stopped));
  assert.deepEqual(stopped.get("Deployment")?.spec.strategy, { type: "Recreate" });
  assert.deepEqual(postgres.get("Deployment")?.spec.template.spec.volumes[0], { name: "data", emptyDir: {} });
});

test("values that contradict each other, and unknown ones, are refused in words", { skip }, () => {
  for (const [value, complaint] of [
    ["database.postgres=true", /database\.postgres needs existingSecret/],
    ["metrics.enabled=true", /metrics\.enabled needs existingSecret/],
    ["provision.enabled=true", /provision\.enabled needs existingSecret/],
    ["ingress.enabled=true", /ingress\.enabled needs ingress\.hosts/],
    ["strategy=RollingUpdate", /two processes do not share one SQLite file/],
    ["replica=3", /additional properties 'replica' not allowed/],
    ["image.repository=", /image\.repository is missing/],
  ] as const)
    assert.match(String(rendered(value)), complaint, value);
});
