// Members and what waits for them: a check before they are stored, and deferred completions that are cancelled.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { expectSound, missing, settled, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

const server = createServer((request, response) => {
  const isRight = request.headers.authorization === "Bearer sk-right";
  const error = { message: "Incorrect key", code: "invalid_api_key" };
  response
    .writeHead(isRight ? 200 : 401, { "content-type": "application/json" })
    .end(JSON.stringify(isRight ? { data: [{ id: "small-1" }, { id: "large-1" }] } : { error }));
});

test("a member is checked before it is stored: the refusal is the provider's, and its models are ticked", {
  skip: missing,
}, async (t) => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const at = await visit({ allow: "127.0.0.1" });
  t.after(async () => {
    await at.close();
    server.close();
  });
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  await page.goto(`${url}/a/${account}/pools/${pool}/members/new`);
  // A vendor is a card like a kind.
  await page.getByRole("link", { name: "Azure OpenAI" }).click();
  const vendor = page.getByLabel("Vendor", { exact: true });
  assert.equal(await vendor.inputValue(), "azure-openai");
  await page.getByRole("link", { name: "Choose another provider" }).click();
  await page.getByLabel("Find a provider").fill("groq");
  await page.getByRole("link", { name: "Groq" }).waitFor();
  assert.equal(await page.getByRole("article").count(), 1);
  await page.getByLabel("Find a provider").fill("openai and");
  await page.getByRole("link", { name: "OpenAI and compatible" }).click();
  await page.getByLabel("Name", { exact: true }).fill("ours");
  const settings = page.getByRole("group", { name: "Settings" });
  assert.equal(await settings.locator("label").first().textContent(), "Vendor");
  assert.equal(await settings.getByLabel("Tenant ID").count(), 0);
  assert.equal(await settings.getByLabel("Tools over").isVisible(), false);
  await vendor.selectOption("azure-openai");
  await settings.getByLabel("Tenant ID").waitFor();
  await vendor.selectOption("openai");
  await settings.getByLabel("Tenant ID").waitFor({ state: "detached" });
  const { port } = server.address() as AddressInfo;
  await page.getByLabel("Base url").fill(`http://127.0.0.1:${port}/v1`);
  const check = page.getByRole("button", { name: "Check", exact: true });
  await page.getByLabel("Api key").first().fill("sk-wrong");
  await check.click();
  await page.getByText("Incorrect key").waitFor();
  // What was found is said of these settings alone.
  await page.getByLabel("Api key").first().fill("sk-wrong-2");
  await page.getByText("Incorrect key").waitFor({ state: "detached" });
  await page.getByLabel("Api key").first().fill("sk-right");
  await check.click();
  await page.getByText("The provider accepts the settings").waitFor();
  await page.getByLabel("small-1").check();
  await expectSound(at, "a checked member");
  await page.getByRole("button", { name: "Add the member" }).click();
  await page.getByText("The member was added").waitFor();
  const members = (await api(at, "GET", `/accounts/${account}/pools/${pool}/members`)).body.data;
  const ours = members.find(({ name }) => name === "ours") as unknown as { models: string[] };
  assert.deepEqual(ours.models, ["small-1"]);
});

test("a name that is entered twice is a fault at its field, and nothing is sent until it is another", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  await page.goto(`${url}/a/${account}/pools/${pool}/members/new`);
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.getByLabel("Name", { exact: true }).first().fill("ours");
  await page.getByLabel("Models", { exact: true }).fill("echo");
  await page.locator("details.more > summary").last().click();
  const prices = page.getByRole("group", { name: "Prices" });
  const aliases = page.getByRole("group", { name: "Aliases" });
  for (const place of [0, 1]) {
    await prices.getByRole("button", { name: "Add one" }).click();
    const name = prices.getByLabel("Name", { exact: true }).nth(place);
    await name.focus();
    // Key by key: the field stays the one that has the focus.
    await page.keyboard.type("echo");
    for (const label of ["Input", "Output"])
      await prices
        .getByLabel(label, { exact: true })
        .nth(place)
        .fill(String(place + 1));
    await aliases.getByRole("button", { name: "Add a row" }).click();
    await aliases.getByLabel("Name in Aliases").nth(place).focus();
    await page.keyboard.type("small");
    await aliases
      .getByLabel(/^Value of/)
      .nth(place)
      .fill("echo");
  }
  await prices.getByText("Another row has the name echo.").waitFor();
  await aliases.getByText("Another row has the name small.").waitFor();
  await expectSound(at, "a member with names that are there twice");
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/members")) sent += 1;
  });
  const add = page.getByRole("button", { name: "Add the member" });
  await add.click();
  assert.equal(await page.locator("input:invalid").count(), 2);
  await prices.getByLabel("Name", { exact: true }).nth(1).fill("other");
  await aliases.getByRole("button", { name: "Remove" }).nth(1).click();
  await page.getByText("Another row has the name").first().waitFor({ state: "detached" });
  assert.equal(sent, 0);
  await add.click();
  await page.getByText("The member was added").waitFor();
  const members = (await api(at, "GET", `/accounts/${account}/pools/${pool}/members`)).body.data;
  const ours = members.find(({ name }) => name === "ours") as unknown as {
    prices: Record<string, { input: number }>;
    aliases: object;
  };
  assert.deepEqual(
    Object.entries(ours.prices).map(([name, { input }]) => [name, input]),
    [
      ["echo", 1],
      ["other", 2],
    ],
  );
  assert.deepEqual(ours.aliases, { small: "echo" });
});

test("a deferred completion is listed on its pool's page, and cancelled there", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  await page.clock.setFixedTime(it.clock.now());
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  const path = `/accounts/${account}/pools/${pool}`;
  const { key } = (await api(at, "POST", `${path}/keys`, { name: "nightly" })).body.data;
  const deferred = await fetch(`${url}/api/ai/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-trunkline-deliver": "webhook",
      "x-trunkline-schedule-at": "2026-02-01 00:00:00",
    },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
  });
  assert.equal(deferred.status, 202);
  await page.goto(`${url}/a/${account}/pools/${pool}`);
  await settled(at);
  const waiting = page.getByRole("region", { name: "Deferred completions" }).first();
  await waiting.getByText("nightly").waitFor();
  await expectSound(at, "a pool with a deferred completion");
  await waiting.getByRole("button", { name: "Cancel…" }).click();
  await page.getByRole("button", { name: "Cancel it" }).click();
  await waiting.waitFor({ state: "detached" });
  const { id } = (await deferred.json()) as { id: string };
  const left = (await api(at, "GET", `${path}/deferred`)).body.data;
  assert.deepEqual([left.length, id.length > 4], [0, true]);
});
