// The page that sends: what is composed becomes one request, which is accepted once, come what may to its answer.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { type Draft, emptyDraft, recipientsOf, repeatedIn, requestOf } from "#ui/send/draft.ts";
import { faultOf, fileFault, recipientFault } from "#ui/send/faults.ts";
import { lengthOf } from "#ui/send/length.ts";
import { languages, publicPath, snippetOf } from "#ui/send/snippets.ts";
import { expectSound, missing, settled, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const draftOf = (changes: Partial<Draft>): Draft => ({ ...emptyDraft, message: "Hi", ...changes });

test("a pasted column is a list of recipients, and each line is a message", () => {
  const pasted = " +4915123456789\r\n+15550000001\t\n\n+15550000001; ada@example.com,bo@example.com ";
  const recipients = recipientsOf(pasted);
  assert.deepEqual(recipients, [
    "+4915123456789",
    "+15550000001",
    "+15550000001",
    "ada@example.com",
    "bo@example.com",
  ]);
  assert.equal(repeatedIn(recipients), 1);
  const { contact } = requestOf(draftOf({ recipients: "+1\n+2" }), []);
  assert.deepEqual(contact, [
    { number: "+1", message: "Hi" },
    { number: "+2", message: "Hi" },
  ]);
});

test("only what was filled in is part of the request", () => {
  const to = { recipients: "delivered@example.com" };
  const sent = (changes: Partial<Draft>, files: { filename: string; content: string }[] = []) =>
    requestOf(draftOf(changes), files);
  const file = { filename: "a.txt", content: "QQ==" };
  const mail = { channel: "email", subject: "Invoice", senderName: " ", at: "2026-11-24T09:00" } as const;
  assert.deepEqual(sent({ ...to, ...mail }, [file]), {
    channel: "email",
    contact: [
      {
        email: "delivered@example.com",
        subject: "Invoice",
        message: "Hi",
        schedule_at: "2026-11-24 09:00:00",
      },
    ],
    attachments: [file],
  });
  // What another channel's fields still hold stays out.
  assert.deepEqual(sent({ ...mail, at: null, channel: "sms", recipients: "+1", gateway: "one" }, [file]), {
    channel: "sms",
    contact: [{ number: "+1", message: "Hi", gateway_identifier: "one" }],
  });
  const whatsapp = { channel: "whatsapp", recipients: "+1" } as const;
  const first = (changes: Partial<Draft>) => sent({ ...whatsapp, ...changes }).contact[0];
  const document = {
    content: "media",
    media: "document",
    url: "https://a.example/b",
    filename: "b",
  } as const;
  const base = { number: "+1", message: "Hi" };
  assert.deepEqual(first(document), { ...base, media: "document", url: document.url, filename: "b" });
  assert.deepEqual(first({ ...document, media: "image" }), { ...base, media: "image", url: document.url });
  const template = { content: "template", template: "order", language: "en_US" } as const;
  assert.deepEqual(first(template), { ...base, template: { name: "order", language: "en_US" } });
  assert.deepEqual(first({ ...template, values: "Ada\n12" }), {
    ...base,
    template: { name: "order", language: "en_US", parameters: ["Ada", "12"] },
  });
  assert.deepEqual(first({ ...template, values: "name=Ada = B\ncode", isNamed: true }), {
    ...base,
    template: { name: "order", language: "en_US", parameters: { name: "Ada = B", code: "" } },
  });
  const row = { id: "", title: "Morning", description: "" };
  const list = {
    content: "list",
    button: "Choose",
    sections: [{ title: "", rows: [row, { ...row, id: "b" }] }],
  };
  assert.deepEqual(first({ ...list, content: "list" }), {
    ...base,
    button: "Choose",
    sections: [
      {
        rows: [
          { id: "row-1-1", title: "Morning" },
          { id: "b", title: "Morning" },
        ],
      },
    ],
  });
});

test("a text's length is the one that is charged, and the character that makes it dearer is named", () => {
  assert.deepEqual(lengthOf(" Hello "), { segments: 1, encoding: "gsm7", units: 5, fits: 160, odd: null });
  assert.deepEqual(lengthOf("x".repeat(161)), {
    segments: 2,
    encoding: "gsm7",
    units: 161,
    fits: 306,
    odd: null,
  });
  assert.deepEqual(lengthOf("It’s 5 €"), { segments: 1, encoding: "ucs2", units: 8, fits: 70, odd: "’" });
  assert.equal(lengthOf("a 👋").odd, "👋");
  assert.equal(lengthOf("{[^]}~\\|€").odd, null);
});

test("what the API says is at its field, and refused recipients are named as they were written", () => {
  const error = {
    errors: {
      "contact.0.message": ["The message is missing."],
      "contact.1.message": ["The message is missing."],
      "contact.1.number": ["No number."],
      "contact.0.sections.0.rows.1.title": ["Too long."],
      "attachments.0": ["No file."],
    },
  };
  assert.equal(faultOf(error, "message"), "The message is missing.");
  assert.equal(faultOf(error, "sections.0.rows.1.title"), "Too long.");
  assert.equal(faultOf(error, "title"), null);
  assert.equal(faultOf(null, "message"), null);
  assert.equal(fileFault(error), "No file.");
  assert.equal(recipientFault(error, ["+1", "+x"]), "+x: No number.");
  assert.match(recipientFault(error, []) ?? "", /at least one/);
  const many = { errors: Object.fromEntries([..."1234567"].map((at) => [`contact.${at}.email`, ["No."]])) };
  assert.match(
    recipientFault(many, recipientsOf("a,b,c,d,e,f,g,h")) ?? "",
    /^b: No\. .*f: No\. And 2 more\.$/,
  );
});

test("the call of the public API is the same send, with any text", { timeout: 20_000 }, () => {
  const message = `It's "5" \\ $HOME \`ls\`\n’👋`;
  const request = requestOf(draftOf({ recipients: "+1", message }), []);
  const { channel, ...body } = request;
  assert.equal(publicPath(request), "/api/sms/send");
  const list = requestOf(draftOf({ channel: "whatsapp", content: "list", recipients: "+1" }), []);
  assert.equal(publicPath(list), "/api/whatsapp/send-list");
  for (const language of languages) {
    const text = snippetOf(language, "http://localhost", request);
    assert.ok(text.includes("http://localhost/api/sms/send") && text.includes("TRUNKLINE_KEY"), language);
  }
  // The shell hands the body on as it is.
  const curl = snippetOf("curl", "http://localhost", request);
  const shown = execFileSync("sh", ["-c", `curl() { for last; do :; done; printf %s "$last"; }\n${curl}`]);
  assert.deepEqual(JSON.parse(shown.toString()), body);
  const script = snippetOf("JavaScript", "http://localhost", request);
  const called: { body: string }[] = [];
  const run = new Function("fetch", "process", "console", `return (async () => {${script}})()`);
  const answer = { json: async () => ({}) };
  const take = (_url: string, init: { body: string }) => {
    called.push(init);
    return answer;
  };
  run(take, { env: {} }, { log: () => {} });
  assert.deepEqual(JSON.parse(called[0]?.body ?? ""), body);
  const php = snippetOf("PHP", "http://localhost", request);
  assert.deepEqual(JSON.parse(php.split("<<<'BODY'\n")[1]?.split("\nBODY,")[0] ?? ""), body);
});

const messagesOf = async (at: Visit, account: string) =>
  (await api(at, "GET", `/accounts/${account}/messages`)).body.data;

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

test("a newcomer sends by keyboard from the overview, and sees it delivered", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it } = at;
  await setUp(at);
  await page.keyboard.press("c");
  await page.getByRole("heading", { name: "Send", exact: true }).waitFor();
  await page.getByRole("button", { name: "+15550000001 delivered" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("1 recipient.").waitFor();
  await page.getByLabel("Text", { exact: true }).focus();
  await page.keyboard.type("It’s ready");
  await page.getByText("1 segment · ucs2 · 10 of 70").waitFor();
  await expectSound(at, "the page that sends");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Send the message" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await it.advance(60_000);
  await page.getByText("The provider has reported that it reached the recipient.").waitFor();
  // What was sent is not offered again.
  await page.getByRole("link", { name: "Send messages" }).click();
  assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), "");
});

test("a double click, a lost answer and a reload send once; what was changed afterwards is a send of its own", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark" });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await page.goto(`${url}/a/${account}/send?channel=sms&to=%2B15550000001`);
  await page.getByLabel("Text", { exact: true }).fill("once");
  const keys: (string | undefined)[] = [];
  await page.route("**/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    await route.fetch();
    await route.abort();
  });
  const send = page.getByRole("button", { name: "Send the message" });
  await send.dblclick();
  await page.getByText("Whether it was sent is not known.").waitFor();
  await expectSound(at, "a send without an answer");
  await page.reload();
  assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), "once");
  await send.click();
  await page.getByText("Whether it was sent is not known.").waitFor();
  assert.ok(keys.length >= 2 && keys[0] !== undefined && new Set(keys).size === 1, keys.join());
  assert.equal((await messagesOf(at, account)).length, 1);
  await page.unroute("**/messages");
  await page.getByLabel("Text", { exact: true }).fill("twice");
  await send.click();
  await page.getByText("It was sent before in another form").waitFor();
  await expectSound(at, "a send under a key that was used");
  assert.equal((await messagesOf(at, account)).length, 1);
  await page.getByRole("button", { name: "Make it a send of its own" }).click();
  await send.click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  assert.equal((await messagesOf(at, account)).length, 2);
});

test("several are scheduled on the account's clocks; faults are at their fields, and the log shows the request", {
  skip: missing,
}, async (t) => {
  const at = await visit({ width: 320 });
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = await accountOf(at);
  assert.equal((await api(at, "PATCH", `/accounts/${account}`, { time_zone: "Asia/Tokyo" })).status, 200);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/send`);
  await page.getByLabel("To", { exact: true }).fill("+15550000001\nno-number");
  await page.getByRole("button", { name: "At a time" }).click();
  const when = page.getByLabel("At (Asia/Tokyo)");
  await when.fill("2027-03-01T09:30");
  await page.getByRole("button", { name: "Schedule 2 messages" }).click();
  await page.getByText("no-number: ").waitFor();
  assert.equal(await page.locator("[aria-invalid=true]").count(), 2);
  await expectSound(at, "a send with faults");
  await page.getByLabel("To", { exact: true }).fill("+15550000001\n+15550000002");
  await page.getByLabel("Text", { exact: true }).fill("Good morning");
  await page.getByRole("button", { name: "Schedule 2 messages" }).click();
  await page.getByRole("heading", { name: "Messages" }).waitFor();
  assert.match(page.url(), /[?&]request=req_/);
  const stored = await messagesOf(at, account);
  assert.deepEqual(
    stored.map(({ schedule_at, scheduled_for }) => [schedule_at, scheduled_for]),
    Array(2).fill(["2027-03-01 09:30:00", "2027-03-01T00:30:00.000Z"]),
  );
});

test("an email with a file, a WhatsApp list and a template are composed and sent", {
  skip: missing,
}, async (t) => {
  const at = await visit({ colours: "dark", width: 320 });
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const open = async (channel: string) => {
    await page.goto(`${url}/a/${account}/send?channel=${channel}`);
    await settled(at);
  };
  const send = async () => {
    await page.getByRole("button", { name: "Send the message" }).click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
  };
  await open("email");
  await page.getByRole("button", { name: "delivered@example.com" }).click();
  await page.getByLabel("Subject").fill("Your invoice");
  await page.getByLabel("Text or HTML").fill("<p>Hello</p>");
  const file = { name: "invoice.txt", mimeType: "text/plain", buffer: Buffer.from("12 EUR") };
  await page.getByLabel("Files").setInputFiles(file);
  await page.getByRole("button", { name: "Remove invoice.txt" }).waitFor();
  await expectSound(at, "an email");
  // The browser keeps no file over a reload: without it the mail would be another one.
  await page.reload();
  await page.getByText("Choose invoice.txt again").waitFor();
  await page.getByRole("button", { name: "Send the message" }).click();
  await page.getByLabel("Files").setInputFiles(file);
  await page.getByText("Choose invoice.txt again").waitFor({ state: "detached" });
  await send();
  const [mail] = (await messagesOf(at, account)) as unknown as {
    attachments: { filename: string; size: number }[];
  }[];
  assert.deepEqual(
    mail?.attachments.map(({ filename, size }) => [filename, size]),
    [["invoice.txt", 6]],
  );

  await open("whatsapp");
  await page.getByLabel("To", { exact: true }).fill("+15550000001");
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.getByLabel("Text", { exact: true }).fill("When shall we deliver?");
  await page.getByLabel("Button").fill("Choose");
  await page.getByLabel("Title").fill("Morning");
  await page.getByRole("button", { name: "Add a row" }).click();
  await page.getByRole("button", { name: "Send the message" }).click();
  await page.getByRole("group", { name: "Row 2" }).locator("[aria-invalid=true]").waitFor();
  await expectSound(at, "a list with a fault");
  await page.getByRole("group", { name: "Row 2" }).getByLabel("Title").fill("Evening");
  await send();

  await open("whatsapp");
  await page.getByLabel("To", { exact: true }).fill("+15550000001");
  await page.getByRole("button", { name: "Template" }).click();
  await page.getByLabel("Template").fill("order_shipped");
  await page.getByLabel("Values").fill("Ada");
  await page.getByLabel("Text for your own log").fill("Your order is on its way, Ada.");
  await expectSound(at, "a template");
  await page.getByText("The same from your application").click();
  await page.getByText("/api/whatsapp/send").waitFor();
  await expectSound(at, "the call of the public API");
  await send();
});
