// What `npm start` does first. The script runs as npm runs it: in a folder with a lock, under another Node, with an npm
// that only notes what it was asked for.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../../scripts/ready.mjs", import.meta.url));
const runtimePackage = `node-${process.platform}-${process.arch}`;
const entry = (version: string) => ({ version, integrity: `sha512-${version}` });
const locked = {
  "": { name: "trunkline" },
  "node_modules/fastify": entry("5.0.0"),
  [`node_modules/${runtimePackage}`]: { ...entry("26.10.0"), optional: true },
  "node_modules/node-other-arch": { ...entry("26.10.0"), optional: true },
};
const { "": _root, "node_modules/node-other-arch": _other, ...installed } = locked;

const works = "#!/bin/sh\necho v26.10.0\n";
const lacksLibatomic =
  '#!/bin/sh\necho "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file" >&2\nexit 127\n';

/** What only tests use: a program that people call, and a link to a package of the root. */
const lockedForTests = {
  "": { name: "trunkline-test-packages" },
  "../../node_modules/zod": { version: "4.0.0" },
  "node_modules/typescript": entry("7.0.2"),
  "node_modules/zod": { resolved: "../../node_modules/zod", link: true },
};

/** A folder as a clone is, with the runtime's program in place of the real one; `record` is what npm noted down. */
function clone(t: TestContext, { record, runtime = works, machine = "v20.19.2" }: CloneOptions) {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-ready-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), 0o755);
  };
  put("package-lock.json", JSON.stringify({ packages: locked }));
  put("test/packages/package-lock.json", JSON.stringify({ packages: lockedForTests }));
  put(`node_modules/${runtimePackage}/bin/node`, runtime);
  mkdirSync(join(folder, "node_modules/.bin"));
  symlinkSync(`../${runtimePackage}/bin/node`, join(folder, "node_modules/.bin/node"));
  if (record) put("node_modules/.package-lock.json", JSON.stringify({ packages: record }));
  put("machine/node", `#!/bin/sh\necho ${machine}\n`);
  put(
    "npm.mjs",
    `import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
    const args = process.argv.slice(2);
    appendFileSync("asked", args.join(" ") + "\\n");
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (existsSync("offline")) process.exit(7);
    mkdirSync("node_modules", { recursive: true });
    if (args[0] === "ci") writeFileSync("node_modules/.package-lock.json", readFileSync("package-lock.json"));
    if (args.at(-1) === ${JSON.stringify(runtimePackage)}) symlinkSync("../${runtimePackage}/bin/node", "node_modules/.bin/node");`,
  );
  const start = async (...words: string[]) => {
    const run = spawn(process.execPath, [script, ...words], {
      cwd: folder,
      env: {
        PATH: `${folder}/node_modules/.bin:${folder}/machine:/usr/bin:/bin`,
        npm_execpath: join(folder, "npm.mjs"),
      },
    });
    let output = "";
    for (const stream of [run.stdout, run.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const [code] = await once(run, "close");
    return { code, output };
  };
  const asked = () => (existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8") : "");
  return { folder, put, start, asked };
}

interface CloneOptions {
  record?: object;
  runtime?: string;
  machine?: string;
}

const supported = ["linux-x64", "linux-arm64", "darwin-x64"].includes(`${process.platform}-${process.arch}`);
const options = { skip: supported ? false : "The pinned runtime of this platform has another name." };

test(
  "what is installed is compared with the lock by content, and only what differs is installed",
  options,
  async (t) => {
    const same = clone(t, { record: installed });
    assert.deepEqual(await same.start(), { code: 0, output: "" });
    assert.equal(same.asked(), "");

    const older = { ...installed, "node_modules/fastify": entry("4.9.9") };
    const { "node_modules/fastify": _, ...fewer } = installed;
    const { [`node_modules/${runtimePackage}`]: __, ...noRuntime } = installed;
    for (const record of [older, fewer, noRuntime, undefined]) {
      const stale = clone(t, record ? { record } : {});
      const { code, output } = await stale.start();
      assert.equal(code, 0, output);
      assert.match(stale.asked(), /^ci --ignore-scripts .*\n$/);
      assert.equal((await stale.start()).output, "");
      assert.equal(existsSync(join(stale.folder, ".installing")), false);
    }
  },
);

test(
  "a runtime that lacks libatomic is reported in one sentence, at every start, and used when it is there",
  options,
  async (t) => {
    const bare = clone(t, { runtime: lacksLibatomic });
    for (let start = 1; start <= 3; start++) {
      const { code, output } = await bare.start();
      assert.equal(code, 1);
      assert.match(output, /needs the system library libatomic: install it \(.*apt-get install libatomic1/);
      assert.equal(
        existsSync(join(bare.folder, "node_modules/.bin/node")),
        false,
        "npm would run it before the script",
      );
    }
    bare.put(`node_modules/${runtimePackage}/bin/node`, works);
    assert.equal((await bare.start()).code, 0);
    assert.equal(existsSync(join(bare.folder, "node_modules/.bin/node")), true);

    const newer = clone(t, { record: installed, runtime: lacksLibatomic, machine: "v26.1.0" });
    assert.deepEqual(await newer.start(), { code: 0, output: "" });
  },
);

test("a system without glibc is asked to install Node 26", options, async (t) => {
  const musl = clone(t, { record: installed, runtime: "#!/no/such/loader\n" });
  const { code, output } = await musl.start();
  assert.equal(code, 1);
  assert.match(output, /needs glibc/);
});

test("two starts at once install once", options, async (t) => {
  const fresh = clone(t, {});
  const [first, second] = await Promise.all([fresh.start(), fresh.start()]);
  assert.deepEqual([first.code, second.code], [0, 0], first.output + second.output);
  assert.equal(fresh.asked().match(/^ci /gm)?.length, 1);
});

test(
  "what only tests use is installed when tests ask for it, by its own lock, and found by name",
  options,
  async (t) => {
    const fresh = clone(t, { record: installed });
    const place = join(fresh.folder, "test/packages");
    const asked = () => readFileSync(join(place, "asked"), "utf8").trim().split("\n").length;
    assert.deepEqual(await fresh.start(), { code: 0, output: "" });
    assert.equal(existsSync(join(place, "node_modules")), false, "a start of the service installs it");

    fresh.put("test/packages/offline", "");
    const offline = await fresh.start("--tests");
    assert.equal(offline.code, 7);
    assert.match(offline.output, /Installing what the tests need .*\nThe installation failed/);
    rmSync(join(place, "offline"));
    for (let run = 1; run <= 2; run++) {
      const { code, output } = await fresh.start("--tests");
      assert.equal(code, 0, output);
      assert.equal(asked(), 2, "the failed one and one more");
      fresh.put("test/packages/node_modules/typescript/bin/tsc", "the compiler");
      for (const path of ["test/node_modules/typescript/bin/tsc", "node_modules/.bin/tsc"])
        assert.equal(readFileSync(join(fresh.folder, path), "utf8"), "the compiler");
    }
    const later = { ...lockedForTests, "node_modules/typescript": entry("7.0.3") };
    fresh.put("test/packages/package-lock.json", JSON.stringify({ packages: later }));
    assert.equal((await fresh.start("--tests")).code, 0);
    assert.equal(asked(), 3);
    assert.equal(existsSync(join(place, ".installing")), false);
  },
);

test("a lock that a killed start left holds up the next one for a moment", options, async (t) => {
  const fresh = clone(t, {});
  const dead = spawn("true");
  await once(dead, "close");
  fresh.put(".installing", String(dead.pid));
  assert.equal((await fresh.start()).code, 0);
});

test("nothing is installed under a Trunkline that runs from the folder", options, async (t) => {
  const updated = clone(t, { record: { ...installed, "node_modules/fastify": entry("4.9.9") } });
  updated.put("main.ts", "setInterval(() => {}, 1000);");
  updated.put(
    "scripts/mark-running.mjs",
    readFileSync(new URL("../../scripts/mark-running.mjs", import.meta.url), "utf8"),
  );
  const service = spawn(process.execPath, ["--import", "./scripts/mark-running.mjs", "main.ts"], {
    cwd: updated.folder,
  });
  const mark = join(updated.folder, "node_modules/.trunkline-running", String(service.pid));
  while (!existsSync(mark) && service.exitCode === null)
    await new Promise((resolve) => setImmediate(resolve));
  const { code, output } = await updated.start();
  assert.equal(code, 1);
  assert.match(output, new RegExp(`Trunkline runs from this folder \\(process ${service.pid}\\)\\. Stop it`));
  assert.equal(updated.asked(), "");
  service.kill("SIGKILL");
  await once(service, "close");
  assert.equal((await updated.start()).code, 0);
  assert.equal(existsSync(mark), false);
});
