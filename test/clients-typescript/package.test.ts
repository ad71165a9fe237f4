// The package of the TypeScript client: packed and installed into an empty folder as its README says, and used there by the Node
// that the machine has, with the programs of the README.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { listening } from "./system.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "trunkline-client-"));
after(() => rmSync(folder, { recursive: true, force: true }));
/** Without the packages of this repository: npm and `node` are the machine's own. */
const path = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((each) => !each.includes("node_modules"))
  .join(delimiter);
const environment = (more: Record<string, string> = {}) => ({ PATH: path, HOME: folder, ...more });

before(async () => {
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder, "./clients/typescript"], {
    cwd: root,
    env: environment(),
  });
  const tarball = /"filename": "([\w.-]+\.tgz)"/.exec(packed.stdout)?.[1];
  assert.ok(tarball, packed.stdout);
  const flags = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...flags, `./${tarball}`], { cwd: folder, env: environment() });
});

/** A program of the README, in the folder: the block of code after the mention of its name. */
function program(name: string): string {
  const readme = readFileSync(join(root, "clients/typescript/README.md"), "utf8");
  const [, start = ""] = readme.slice(readme.indexOf(`\`${name}\``)).split("```js\n");
  const [code = ""] = start.split("```");
  assert.match(code, /trunkline-client/, name);
  const place = join(folder, name);
  writeFileSync(place, code);
  return place;
}

test("it installs nothing else, and its licence is in it", () => {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    packages: Record<string, { license?: string }>;
  };
  assert.deepEqual(Object.keys(lock.packages), ["", "node_modules/trunkline-client"]);
  assert.equal(lock.packages["node_modules/trunkline-client"]?.license, "Apache-2.0");
  const licence = readFileSync(join(folder, "node_modules/trunkline-client/dist/LICENSE"), "utf8");
  assert.match(licence, /Apache License/);
});

test("the program that sends, sends", async (t) => {
  const { account, url } = await listening(t);
  const env = environment({ TRUNKLINE_URL: url, TRUNKLINE_API_KEY: account.key });
  const { stdout } = await run("node", [program("send.mjs")], { cwd: folder, env });
  assert.match(stdout, /^msg_\w+ queued\n\[/);
  const failed = await run("node", [program("send.mjs")], {
    cwd: folder,
    env: { ...env, TRUNKLINE_API_KEY: "wrong" },
  }).catch((error: { code: number; stderr: string }) => error);
  assert.match(failed.stderr, /^403 null Invalid Api Key/);
});

test("the program that receives webhooks takes a genuine one and no other", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as { port: number };
  await new Promise((resolve) => free.close(resolve));
  const key = Buffer.alloc(32, 5);
  const receiver = spawn("node", [program("receive.mjs")], {
    cwd: folder,
    env: environment({ PORT: String(port), WEBHOOK_SECRET: `whsec_${key.toString("base64")}` }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(receiver.stdout, "data");
    const body = JSON.stringify({ type: "message.delivered", data: { id: "msg_1", delivered_at: "today" } });
    const seconds = Math.floor(Date.now() / 1000);
    const signature = createHmac("sha256", key).update(`evt_1.${seconds}.${body}`).digest("base64");
    const post = async (text: string) =>
      await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: {
          "webhook-id": "evt_1",
          "webhook-timestamp": String(seconds),
          "webhook-signature": `v1,${signature}`,
        },
        body: text,
      });
    assert.equal((await post(`${body} `)).status, 401);
    const printed = once(receiver.stdout, "data");
    assert.equal((await post(body)).status, 204);
    assert.equal(String((await printed)[0]), "evt_1 msg_1 today\n");
  } finally {
    receiver.kill();
  }
});

test("its types are whole for a program of another project, and find its mistakes", async () => {
  const source = `import { createTrunkline, TrunklineError, verifyWebhook, type WebhookEvent } from "trunkline-client";
const trunkline = createTrunkline({ url: "https://sms.example.com", apiKey: "tl_1" });
export async function main(body: string): Promise<number> {
  const sent = await trunkline.email.send({ email: "a@example.com", subject: "s", message: "m" }, { files: [] });
  const status: "queued" | "scheduled" | undefined = sent.contact[0]?.status;
  for await (const { segments } of trunkline.messages.list("sms")) return segments + (status?.length ?? 0);
  const event: WebhookEvent = await verifyWebhook("whsec_1", new Headers(), body);
  if (event.type === "gateway.paused") return event.data.identifier.length;
  return new TrunklineError("no", { status: null, code: null }).status ?? 0;
}
`;
  writeFileSync(join(folder, "program.ts"), source);
  const wrong = source.replace('"gateway.paused"', '"message.sent"');
  writeFileSync(join(folder, "wrong.ts"), wrong);
  for (const resolution of ["nodenext", "bundler"]) {
    const options = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
      target: "es2022",
      lib: ["es2022", "dom"],
      module: resolution === "bundler" ? "esnext" : resolution,
      moduleResolution: resolution,
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["program.ts", "wrong.ts"] }),
    );
    const compiler = join(root, "test/node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [compiler, "-p", "."], { cwd: folder }).catch(
      (error) => error,
    );
    // A message has no identifier of a gateway under that name; nothing else is wrong.
    const errors = [...stdout.matchAll(/^(\w+\.ts)\(\d+,\d+\): error (TS\d+)/gm)];
    assert.ok(errors.length > 0, stdout);
    assert.deepEqual([...new Set(errors.map(([, file, code]) => `${file} ${code}`))], ["wrong.ts TS2339"]);
  }
});
