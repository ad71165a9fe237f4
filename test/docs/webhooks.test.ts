// What docs/webhooks.md gives receivers to verify a post with: each piece of code takes what is signed and nothing else.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { signatureHeader } from "#webhooks/sign.ts";

const page = readFileSync("docs/webhooks.md", "utf8");
const folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
const secret = secretOf(5);
const body = '{"type":"webhook.test","data":{"name":"Zoë"}}';
const now = Math.floor(Date.now() / 1000);

const headersOf = (secrets: string[], seconds = now) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": String(seconds),
  "webhook-signature": signatureHeader(secrets, "evt_1", seconds, body),
});

const genuine = headersOf([secret]);
/** What each answers: headers, body, and whether it is genuine. */
const posts: [headers: object, body: string, isGenuine: boolean][] = [
  [genuine, body, true],
  [headersOf([secretOf(6), secret]), body, true],
  [genuine, `${body} `, false],
  [{ ...genuine, "webhook-id": "evt_2" }, body, false],
  [{ ...genuine, "webhook-timestamp": String(now + 1) }, body, false],
  [headersOf([secretOf(6)]), body, false],
  [headersOf([secret], now - 900), body, false],
  [headersOf([secret], now + 900), body, false],
  [{ ...genuine, "webhook-signature": "v1,é" }, body, false],
  [{ ...genuine, "webhook-signature": "é".repeat(47) }, body, false],
  [{}, body, false],
];

/** Each prints its answers as JSON; the posts are in the file that is named to it. */
const languages = {
  js: {
    program: process.execPath,
    file: "verify.mjs",
    rest: `import { readFileSync } from "node:fs";
const posts = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(JSON.stringify(posts.map(([headers, body]) => isGenuine(${JSON.stringify(secret)}, headers, Buffer.from(body)))));`,
  },
  python: {
    program: "python3",
    file: "verify.py",
    rest: `import json, sys
posts = json.load(open(sys.argv[1], encoding="utf-8"))
print(json.dumps([is_genuine(${JSON.stringify(secret)}, headers, body.encode()) for headers, body, _ in posts]))`,
  },
  php: {
    program: "php",
    file: "verify.php",
    rest: `$posts = json_decode(file_get_contents($argv[1]), true);
echo json_encode(array_map(fn($post) => is_genuine('${secret}', $post[0], $post[1]), $posts));`,
  },
};

for (const [language, { program, file, rest }] of Object.entries(languages)) {
  const isThere = spawnSync(program, ["--version"]).status === 0;
  test(`the code in ${language} takes what is signed now, by any of the secrets, and nothing else`, {
    skip: isThere ? false : `there is no ${program}`,
  }, () => {
    const [, start = ""] = page.split(`\`\`\`${language}\n`);
    const [code = ""] = start.split("```");
    assert.match(code, /is_?genuine/i);
    const path = join(folder, file);
    const input = join(folder, "posts.json");
    writeFileSync(path, `${language === "php" ? "<?php\n" : ""}${code}\n${rest}\n`);
    writeFileSync(input, JSON.stringify(posts));
    const { stdout, stderr } = spawnSync(program, [path, input], { encoding: "utf8" });
    assert.deepEqual(
      stdout === "" ? stderr : JSON.parse(stdout),
      posts.map(([, , isGenuine]) => isGenuine),
    );
  });
}
