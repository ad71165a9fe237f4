// The image's command and its health check. The image itself is built and tried by hand: a test has no engine for it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { nodeFlags } from "../../bin/program.mjs";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), "utf8");

test("the image has every file that its command starts", () => {
  const copied = [...read("Dockerfile").matchAll(/^COPY (?:--\S+ )*(.+) \S+$/gm)].flatMap(
    ([, sources]) => sources?.split(" ").map((source) => source.replace(/^\/app\//, "")) ?? [],
  );
  const started = [
    "bin/trunkline.mjs",
    "bin/program.mjs",
    "scripts/health.mjs",
    "scripts/compile-cache.mjs",
    "build/service/main.mjs",
    "ui/dist/index.html",
    "package.json",
    "docs/operations.md",
    "docs/reference/provisioning.md",
  ];
  for (const file of started)
    assert.ok(
      copied.some((source) => file === source || file.startsWith(`${source}/`)),
      `${file} is not copied`,
    );
});

test("every image is an exact version with a digest, and Node's is the one that npm installs", () => {
  const digest = "sha256:[0-9a-f]{64}";
  const [, node] =
    new RegExp(`^ARG NODE_IMAGE=node:(\\d+\\.\\d+\\.\\d+)-slim@${digest}$`, "m").exec(read("Dockerfile")) ??
    [];
  const manifest = JSON.parse(read("package.json")) as { optionalDependencies: Record<string, string> };
  const pinned = Object.entries(manifest.optionalDependencies).filter(([name]) => /^node-/.test(name));
  assert.ok(pinned.length > 0);
  for (const [name, version] of pinned) assert.equal(node, version, name);
  const documented = read("docs/operations.md").match(/(?<=Node |node:)26\.\d+\.\d+/g) ?? [];
  assert.ok(documented.length > 1);
  for (const version of documented) assert.equal(version, node, "docs/operations.md");
  for (const file of ["compose.yaml", "deploy/compose/compose.yaml"]) {
    const images = [...read(file).matchAll(/^ *image: (\S+)$/gm)].map(([, image]) => image ?? "");
    const foreign = images.filter((image) => !image.startsWith("${TRUNKLINE_IMAGE"));
    assert.ok(foreign.length > 0);
    for (const image of foreign)
      assert.match(image, new RegExp(`^[a-z]+:\\d+\\.\\d+(?:\\.\\d+)?@${digest}$`), file);
  }
});

test("the last stage runs nothing, so that one machine builds it for every architecture", () => {
  const stages = read("Dockerfile")
    .split(/^FROM /m)
    .slice(1);
  const [last = "", ...before] = stages.reverse();
  assert.doesNotMatch(last, /^RUN /m);
  for (const stage of before) assert.match(stage, /^--platform=\$\{BUILDPLATFORM\} /);
});

test("the service starts without a debugger that a signal opens, in every way", () => {
  const { start, dev } = JSON.parse(read("package.json")).scripts as Record<string, string>;
  assert.equal(start, "node bin/trunkline.mjs");
  assert.match(dev ?? "", / --disable-sigusr1 /);
  assert.ok(nodeFlags(path("")).includes("--disable-sigusr1"));
});

test("the health check asks the port of the settings, and says why the service is not ready", async () => {
  let status = 200;
  const server = createServer((_request, response) =>
    response.writeHead(status).end('{"ready":false}'),
  ).listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const check = async () => {
    const run = spawn(process.execPath, [path("scripts/health.mjs")], {
      env: { TRUNKLINE_HOST: "0.0.0.0", TRUNKLINE_PORT: String(port) },
    });
    let reason = "";
    run.stderr.setEncoding("utf8").on("data", (text) => (reason += text));
    const [code] = await once(run, "close");
    return { code, reason: reason.trim() };
  };
  assert.deepEqual(await check(), { code: 0, reason: "" });
  status = 503;
  assert.deepEqual(await check(), { code: 1, reason: 'Trunkline is not ready: {"ready":false}' });
  server.close();
  await once(server, "close");
  const { code, reason } = await check();
  assert.equal(code, 1);
  assert.match(reason, /Trunkline does not answer: .*ECONNREFUSED/);
});
