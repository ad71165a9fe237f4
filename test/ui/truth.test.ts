// What the dashboard says is so: sentences, times and commands that a person acts on, in a real browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { missing, setUp, visit } from "./browser.ts";

test("the first command, pasted into a shell, carries the key that the shell has", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  await setUp(at);
  const command = (await at.page.locator("pre").first().textContent()) ?? "";
  const script = `curl() { for word in "$@"; do echo "<$word>"; done; }; ${command}`;
  const env = { ...process.env, TRUNKLINE_KEY: "key-of-acme" };
  const words = execFileSync("sh", ["-c", script], { env, encoding: "utf8" });
  assert.match(words, /^<Api-key: key-of-acme>$/m);
  assert.match(words, /^<\{"contact":\[\{"number":"\+15550000001".*>$/m);
});

test("two letters lead to a page, also where the second one is a g", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  await setUp(at);
  for (const [letters, title] of [
    ["gm", "Messages"],
    ["gg", "Gateways"],
    ["go", "Overview"],
  ] as const) {
    for (const letter of letters) await at.page.keyboard.press(letter);
    await at.page.getByRole("heading", { name: title, level: 1 }).waitFor();
  }
});
