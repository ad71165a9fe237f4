// The pages of hooks: one is added with a preview, its URL is shown once, and what it received can be tried with another template.

import assert from "node:assert/strict";
import test from "node:test";
import { expectSound, missing, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("a hook is added, receives a body, and is changed with a preview of that body", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, context } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await page.goto(`${url}/a/${account}/hooks`);
  await page.getByRole("button", { name: "Add a hook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("alerts");
  await dialog.getByLabel("Recipients").fill("+15550000001\n\n +15550000002 ");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("firing: DiskFull db1:9100 The disk of db1 is 95 % full").waitFor();
  await dialog.getByText("Made of an example").waitFor();
  await expectSound(at, "a new hook with its preview", "[role=dialog]");
  await dialog.getByRole("button", { name: "Add the hook" }).click();
  const shown = (await dialog.getByText("/hooks/alerts?key=").textContent()) ?? "";
  assert.match(shown, new RegExp(`^${url}/hooks/alerts\\?key=tlh_[\\w-]{43}$`));
  const alert = { status: "firing", labels: { alertname: "HighLoad" } };
  const reply = await context.request.post(shown, { data: { status: "firing", alerts: [alert] } });
  assert.deepEqual([reply.status(), (await reply.json()).data.messages], [200, 2]);
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("heading", { name: "alerts", exact: true }).waitFor();
  const facts = page.getByRole("region", { name: "State" });
  await facts.getByText("accepted").waitFor();
  assert.ok(!(await page.content()).includes(shown.split("=")[1]!));
  await page.getByLabel("Text", { exact: true }).fill("{{alerts[0].labels.alertname}}! {{none}}");
  await page.getByRole("button", { name: "Preview" }).click();
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByText("HighLoad!").waitFor();
  await preview.getByText("Made of the last body").waitFor();
  await preview.getByText("The body has no value for none.").waitFor();
  await page.getByLabel("Text", { exact: true }).fill("{{alerts[0]");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("has a {{ without }}").first().waitFor();
  await page.getByLabel("Text", { exact: true }).fill("{{alerts[0].labels.alertname}}!");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The hook is saved").waitFor();
  await expectSound(at, "a hook");
  const stored = (await api(at, "GET", `/accounts/${account}/hooks`)).body.data[0];
  assert.equal(stored?.message, "{{alerts[0].labels.alertname}}!");
});

test("a hook reports what needs attention, and one that wants signatures shows their secret with its key", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const stored = async () =>
    (await api(at, "GET", `/accounts/${account}/hooks`)).body.data[0] as unknown as {
      attention: object | null;
      signed: boolean;
    };
  await page.goto(`${url}/a/${account}/hooks`);
  await page.getByRole("button", { name: "Add a hook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("on-call");
  await dialog.getByLabel("Program that posts").selectOption("attention");
  await dialog.getByLabel("Recipients").fill("+15550000001");
  await dialog.getByLabel("Warnings").check();
  await dialog.getByLabel("Report after", { exact: true }).fill("15");
  await expectSound(at, "a new hook that reports", "[role=dialog]");
  await dialog.getByRole("button", { name: "Add the hook" }).click();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  const facts = page.getByRole("region", { name: "State" });
  await facts.getByText("Errors, Warnings after 15 min").waitFor();
  const severities = ["error", "warning"];
  assert.deepEqual((await stored()).attention, { severities, after_minutes: 15, ended: true, per_hour: 20 });
  await page.getByLabel("Program that posts").selectOption("github");
  await page.getByLabel("Report what needs attention").uncheck();
  await page.getByLabel("Require a signature").check();
  await page.getByRole("button", { name: "Save" }).click();
  await facts.getByText("required; a new key shows its secret").waitFor();
  assert.deepEqual([(await stored()).attention, (await stored()).signed], [null, true]);
  await page.getByRole("button", { name: "New key…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Create a new key" }).click();
  await dialog.getByText("The program signs with this secret").waitFor();
  await expectSound(at, "a hook's new key and secret", "[role=dialog]");
});
