// What a developer takes from the page into an application works as it is.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { aiSnippetOf, clients } from "#ui/pools/playground/ai-snippets.ts";
import { expectSound, missing, settled, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

const hello = { model: "it's", messages: [{ role: "user" as const, content: "Hello" }] };

test("a snippet has the address and the model, and its key in the environment alone", () => {
  for (const [client] of clients) {
    const text = aiSnippetOf(client, "http://ai.example", hello);
    assert.match(text, /\bTRUNKLINE_POOL_KEY\b/, client);
    const base = client.startsWith("anthropic") ? /http:\/\/ai\.example\/api\/ai"/ : /\/api\/ai\/v1["/]/;
    assert.match(text, base, client);
  }
  // A shell takes it as one body, in which the model has its own name.
  const command = aiSnippetOf("curl", "http://ai.example", hello);
  const script = `curl() { for word in "$@"; do echo "$word"; done; }; ${command}`;
  const env = { ...process.env, TRUNKLINE_POOL_KEY: "key-of-the-pool" };
  const words = execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\n");
  assert.ok(words.includes("Authorization: Bearer key-of-the-pool"));
  assert.equal(JSON.parse(words.at(-2) ?? "").model, "it's");
});

/** What a shell that has these keys would call. */
function calledBy(command: string, keys: Readonly<Record<string, string>>): Parameters<typeof fetch> {
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  const words = execFileSync("sh", ["-c", script], { env: { ...process.env, ...keys }, encoding: "utf8" });
  const [url = "", ...rest] = words.split("\0");
  const headers: [string, string][] = [];
  let body = "";
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [option, value = ""] = rest.slice(at, at + 2);
    if (option === "-d") body = value;
    else headers.push(value.split(": ") as [string, string]);
  }
  return [url, { method: "POST", headers, body }];
}

test("the calls on the page carry this account's names, and work as they are", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  const made = await api(at, "POST", `/accounts/${account}/pools/${pool}/keys`, { name: "app" });
  const rotated = await api(at, "POST", `/accounts/${account}/api-key`);
  const keys = {
    TRUNKLINE_POOL_KEY: made.body.data.key ?? "",
    TRUNKLINE_API_KEY: rotated.body.data.api_key ?? "",
  };
  await page.goto(`${at.url}/a/${account}/settings`);
  await page.getByRole("main").getByRole("link", { name: "Connect" }).click();
  await page.getByRole("heading", { name: "Connect", level: 1 }).waitFor();
  await page.goto(`${at.url}/a/${account}`);
  await settled(at);
  for (const letter of "gk") await page.keyboard.press(letter);
  await page.getByRole("heading", { name: "Connect", level: 1 }).waitFor();
  await settled(at);
  const part = (name: string) =>
    page.locator("section", { has: page.getByRole("heading", { name, exact: true }) });
  await part("Names").getByText(account, { exact: true }).waitFor();
  const send = part("Send a message");
  await send.getByLabel("Gateway").selectOption("sandbox-email");
  const sent = await fetch(...calledBy(await send.locator("pre").innerText(), keys));
  assert.equal(sent.status, 200);
  const stored = (await api(at, "GET", `/accounts/${account}/messages`)).body.data;
  assert.deepEqual(
    stored.map(({ email, gateway_identifier }) => [email, gateway_identifier]),
    [["delivered@example.com", "sandbox-email"]],
  );
  const ask = part("Ask an AI pool");
  let isDone = false;
  const asked = fetch(...calledBy(await ask.locator("pre").innerText(), keys)).finally(() => {
    isDone = true;
  });
  while (!isDone) await it.advance(500);
  assert.equal((await asked).status, 200);
  await (await asked).arrayBuffer();
  await ask.getByLabel("Client").selectOption({ label: "Anthropic, Python" });
  await ask.getByText("from anthropic import Anthropic").waitFor();
  await part("Names").getByText("sandbox-email").waitFor();
  await expectSound(at, "the page to connect by");
  // So high, and at its top, that no bar lies over a button.
  await page.setViewportSize({ width: 320, height: 3_000 });
  await page.evaluate("scrollTo(0, 0)");
  await expectSound(at, "the page to connect by at 320 px");
});
