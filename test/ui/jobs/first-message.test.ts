// The first minute, without a mouse: from the link that the start printed to a message that a person sees delivered, and the same from a shell.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import { expectSound, missing, visit } from "../browser.ts";
import { expectFocusSeen, goTo, goToPage, press, write } from "./keyboard.ts";

const run = promisify(execFile);

test("a newcomer becomes the operator, sends, watches queued, sending, sent and delivered, and sends again by the curl of the page", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, url, it, context } = at;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const made = await it.system.createDefaultAccount();
  await page.goto(`${url}/setup#${await it.system.createSetupCode()}`);
  await write(at, page.getByLabel("Name"), "Ada");
  await write(at, page.getByLabel("Email address"), "ada@acme.example");
  await write(at, page.getByLabel("Password"), "a long password of Ada");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();

  // Three presses of a control: Send, the recipient, Send the message.
  await press(at, page.getByRole("link", { name: "Send messages" }));
  await page.getByRole("heading", { name: "Send", exact: true }).waitFor();
  await press(at, page.getByRole("button", { name: "+15550000006 slow" }));
  await page.getByText("1 recipient.").waitFor();
  await write(at, page.getByLabel("Text", { exact: true }), "Your table is at 19:00");
  await press(at, page.getByRole("button", { name: "Send the message" }));
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  const { pathname } = new URL(page.url());
  const state = page.locator(".page-head [role=status]");
  await state.getByText("sending", { exact: true }).waitFor();
  await it.advance(5_000);
  await state.getByText("delivered", { exact: true }).waitFor();
  assert.equal(new URL(page.url()).pathname, pathname);
  const steps = page.getByRole("region", { name: "What happened" });
  for (const step of ["queued", "sent", "delivered"])
    await steps.getByText(step, { exact: true }).first().waitFor();
  await steps.getByText("attempt 1 by sandbox-sms, 5.0 s").waitFor();
  await expectSound(at, "the first message");

  await goToPage(at, "k", "Connect");
  const command = page.locator(".snippet", { hasText: "curl " }).first();
  await goTo(at, command.getByRole("button", { name: "Copy" }));
  await page.keyboard.press("Enter");
  await command.getByText("Copied").waitFor();
  await expectFocusSeen(at);
  const curl = (await page.evaluate("navigator.clipboard.readText()")) as string;
  await goToPage(at, "m", "Messages");
  const rows = page.locator("tr[data-index]");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 1);
  const env = { ...process.env, TRUNKLINE_API_KEY: made?.apiKey };
  await run("sh", ["-c", curl], { env });
  await it.advance(2_000);
  await rows.nth(1).waitFor();
  await expectSound(at, "the log with what came from a shell");
});
