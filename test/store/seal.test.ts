// Secrets at rest: what is sealed opens at its own place with its own key, and nowhere else.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { systemRandom } from "#runtime/random.ts";
import { createSealer, readOrCreateMasterKey } from "#store/seal.ts";

const random = systemRandom();
const key = "a master key of more than 32 characters";
const sealer = createSealer(key, random);
const folder = mkdtempSync(join(tmpdir(), "trunkline-seal-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("what is sealed opens again, and shows nothing of itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      const sealed = sealer.seal(text, "gateways gw_1 settings");
      assert.equal(sealer.unseal(sealed, "gateways gw_1 settings"), text);
      assert.match(sealed, /^v1\.[\w-]+$/);
    }),
    { seed: 7 },
  );
  assert.notEqual(sealer.seal("same", "place"), sealer.seal("same", "place"), "a nonce of its own each");
  assert.ok(!sealer.seal("canary-canary", "place").includes("canary"));
});

test("another place, another key and every changed byte are refused", () => {
  const sealed = sealer.seal("secret", "gateways gw_1 settings");
  assert.throws(() => sealer.unseal(sealed, "gateways gw_2 settings"));
  assert.throws(() => createSealer(`${key}.`, random).unseal(sealed, "gateways gw_1 settings"));
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i]! ^= 1;
    assert.throws(
      () => sealer.unseal(`v1.${changed.toString("base64url")}`, "gateways gw_1 settings"),
      `byte ${i}`,
    );
  }
  for (const broken of ["", "v1.", "v1.AAAA", "v2.x", "secret", sealed.slice(0, -2)]) {
    assert.throws(() => sealer.unseal(broken, "gateways gw_1 settings"), broken);
  }
  // A shortened tag would be easier to forge.
  const short = Buffer.concat([bytes.subarray(0, 16), bytes.subarray(28)]);
  assert.throws(() => sealer.unseal(`v1.${short.toString("base64url")}`, "gateways gw_1 settings"));
});

test("the fingerprint tells keys apart and tells nothing of them", () => {
  assert.equal(createSealer(key, random).fingerprint, sealer.fingerprint);
  assert.notEqual(createSealer(`${key}.`, random).fingerprint, sealer.fingerprint);
  assert.match(sealer.fingerprint, /^[0-9a-f]{64}$/);
});

test("a digest knows its text again under the same key, and is another one under another key", () => {
  const digest = sealer.digest("secret");
  assert.equal(createSealer(key, random).digest("secret"), digest);
  assert.notEqual(createSealer(key, random).digest("secret "), digest);
  assert.notEqual(createSealer(`${key}!`, random).digest("secret"), digest);
  assert.match(digest, /^[0-9a-f]{64}$/);
});

test("the key file is made once, for its owner alone, and read from then on", () => {
  const path = join(folder, "made", "data", "master.key");
  const made = readOrCreateMasterKey(path, random);
  assert.ok(made.length >= 43);
  assert.equal(readOrCreateMasterKey(path, random), made);
  assert.equal(readFileSync(path, "utf8").trim(), made);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, "made", "data")).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(join(folder, "made", "data")), ["master.key"], "nothing else is left there");
});

test("an empty or shortened key file is refused, not used", () => {
  const path = join(folder, "damaged.key");
  for (const content of ["", "\n", "tooshort\n"]) {
    writeFileSync(path, content);
    assert.throws(() => readOrCreateMasterKey(path, random), /at least 32 characters/);
    assert.equal(readFileSync(path, "utf8"), content, "and not replaced: the true one may be in a backup");
  }
  mkdirSync(join(folder, "folder.key"));
  assert.throws(() => readOrCreateMasterKey(join(folder, "folder.key"), random));
});

test("many first starts at once agree on one key", async () => {
  const path = join(folder, "race", "master.key");
  const program = `
    const { readOrCreateMasterKey } = await import(${JSON.stringify(import.meta.resolve("#store/seal.ts"))});
    const { systemRandom } = await import(${JSON.stringify(import.meta.resolve("#runtime/random.ts"))});
    process.stdin.once("data", () => {
      process.stdout.write(readOrCreateMasterKey(${JSON.stringify(path)}, systemRandom()));
      process.exit(0);
    });
    process.stdout.write("ready ");
  `;
  const makers = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      stdio: ["pipe", "pipe", "inherit"],
    });
    let output = "";
    const ready = new Promise<void>((resolve) => {
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
        if (output.startsWith("ready ")) resolve();
      });
    });
    const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
    return { child, ready, key: exited.then(() => output.slice(6)) };
  });
  await Promise.all(makers.map(({ ready }) => ready));
  for (const { child } of makers) child.stdin.write("go\n");
  const keys = new Set(await Promise.all(makers.map((maker) => maker.key)));
  assert.equal(keys.size, 1);
  assert.ok([...keys][0]!.length >= 43);
});

test("a MAC is a purpose's and a key's own, and the same every time", () => {
  const macs = [
    sealer.mac("one", "text"),
    sealer.mac("two", "text"),
    sealer.mac("one", "texts"),
    sealer.mac("", "onetext"),
    createSealer(`${key}!`, random).mac("one", "text"),
  ];
  assert.ok(macs.every((mac) => mac.length === 32));
  assert.equal(new Set(macs.map((mac) => mac.toString("hex"))).size, macs.length);
  assert.deepEqual(createSealer(key, random).mac("one", "text"), macs[0]);
  assert.notEqual(macs[0]?.toString("hex"), sealer.digest("text"));
});
