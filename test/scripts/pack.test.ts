// The npm package, installed into an empty folder under the Node that the machine has, and used as a newcomer does.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);
const maxBytes = 3_500_000;
/** Without the packages of this repository: npm and `node` are the machine's own. */
const path = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

const folder = mkdtempSync(join(tmpdir(), "trunkline-package-"));
let tarball = "";
let service: ChildProcess | null = null;
let printed = "";
let base = "";
let keys: string[] = [];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

before(async () => {
  await run(process.execPath, ["scripts/build-ui.mjs"], { cwd: root });
  // As the release workflow does.
  const workflow = { GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "acme/trunkline" };
  const env = { ...process.env, ...workflow };
  const { stdout } = await run(process.execPath, ["scripts/pack.ts"], { cwd: root, env });
  tarball = join(root, /^dist\/[\w.-]+\.tgz/.exec(stdout)?.[0] ?? "");
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...flags, tarball], { cwd: folder, env: { ...process.env, PATH: path } });
});
after(() => void service?.kill("SIGKILL"));

const trunkline = join(folder, "node_modules/.bin/trunkline");
const environment = (more: Record<string, string> = {}) => ({ PATH: path, HOME: folder, ...more });

test("the package is small, and its command says its version", async () => {
  assert.ok(statSync(tarball).size <= maxBytes, `${statSync(tarball).size} bytes`);
  const { stdout } = await run(trunkline, ["--version"], { cwd: folder, env: environment() });
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  const failed = await run(trunkline, ["nonsense"], { cwd: folder, env: environment() }).catch(
    (error) => error,
  );
  assert.equal(failed.code, 2);
});

test("its manifest says where it comes from, which Node starts it, and nothing of a clone's scripts", () => {
  const manifest = JSON.parse(readFileSync(join(folder, "node_modules/trunkline/package.json"), "utf8"));
  assert.deepEqual(
    [manifest.homepage, manifest.repository, manifest.bugs, manifest.engines],
    [
      "https://git.example/acme/trunkline#readme",
      { type: "git", url: "git+https://git.example/acme/trunkline.git" },
      { url: "https://git.example/acme/trunkline/issues" },
      { node: ">=20" },
    ],
  );
  for (const field of ["private", "scripts", "dependencies", "devDependencies", "imports"])
    assert.equal(manifest[field], undefined, field);
});

test("the pages that its messages name are in it", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  const named = sources.flatMap(
    (path) => readFileSync(join(root, "src", path), "utf8").match(/(?<![\w/.-])docs\/[\w/-]+\.md/g) ?? [],
  );
  const installed = join(folder, "node_modules/trunkline");
  const missing = [...new Set(named)].filter((path) => !existsSync(join(installed, path)));
  assert.ok(named.length > 5);
  assert.deepEqual(missing, []);
  assert.ok(!existsSync(join(installed, "docs/images")));
});

test("it starts in an empty folder and prints its keys", async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  // With a collector that takes no connections: what sends spans is in the bundle.
  const variables = { TRUNKLINE_PORT: String(port), OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
  service = spawn(trunkline, [], { cwd: folder, env: environment(variables) });
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (text: string) => {
      printed += text;
      if (printed.includes(`${base}/docs`)) resolve();
    };
    service?.stdout?.setEncoding("utf8").on("data", hear);
    service?.stderr?.setEncoding("utf8").on("data", hear);
    service?.once("exit", (code) => reject(new Error(`It ended with ${code}:\n${printed}`)));
  });
  await ready;
  keys = printed.match(/\btlp?_\S+/g) ?? [];
  assert.ok(keys.length >= 2, printed);
});

test("it sends an SMS and a mail with a file, answers a completion, and has its dashboard", async () => {
  const [key = "", poolKey = ""] = keys;
  const form = new FormData();
  form.set("contact[0][email]", "ada@example.com");
  form.set("contact[0][subject]", "Your invoice");
  form.set("contact[0][message]", "See the file.");
  form.set("attachments[]", new Blob(["%PDF-1.7\n%%EOF\n"], { type: "application/pdf" }), "invoice.pdf");
  const mail = await fetch(`${base}/api/email/send`, {
    method: "POST",
    headers: { "api-key": key },
    body: form,
  });
  assert.equal(mail.status, 200, await mail.text());
  const json = { "content-type": "application/json" };
  const sms = await fetch(`${base}/api/sms/send`, {
    method: "POST",
    headers: { ...json, "api-key": key },
    body: JSON.stringify({ contact: [{ number: "+15550000001", message: "Hello" }] }),
  });
  assert.equal(sms.status, 200, await sms.text());
  const completion = await fetch(`${base}/api/ai/v1/chat/completions`, {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${poolKey}` },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }] }),
  });
  assert.match(await completion.text(), /"content":"[^"]*Hello/);
  const page = await (await fetch(`${base}/`, { headers: { accept: "text/html" } })).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  assert.ok(script, page.slice(0, 200));
  const loaded = await fetch(`${base}${script}`);
  assert.ok(loaded.ok && (await loaded.text()).length > 100_000);
});

test("a signal stops it in order, and its folder goes", async () => {
  const ended = new Promise((resolve) => service?.once("exit", (code, signal) => resolve([code, signal])));
  service?.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  assert.match(printed, /The process has stopped/);
  // Its first start compiled everything, and the next one has that.
  assert.ok(readdirSync(join(folder, "data/cache"), { recursive: true }).length > 15);
  await rm(folder, { recursive: true });
});
