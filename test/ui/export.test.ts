// What a filter of the log finds, as a file.

import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import test from "node:test";
import type { MessageRecord } from "#ui/api/schema.ts";
import { csvHead, csvLines } from "#ui/messages/export/csv.ts";
import { expectSound, missing, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("cells with commas, quotes and line breaks are quoted, and none of them is a formula", () => {
  const record = {
    id: "msg_1",
    channel: "sms",
    recipient: "+4915112345678",
    status: "failed",
    gateway_identifier: null,
    error: { code: "x", message: '=HYPERLINK("http://evil.example","look")' },
    message: 'He said "hello",\ntwice',
    attempts: 2,
    test: false,
    scheduled_for: null,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    provider_reference: "@ref",
    request_id: "req_1",
    reference: "=order",
    metadata: { customer: "c-17" },
    created_at: "2026-11-26T10:00:00.000Z",
  } as unknown as MessageRecord;
  assert.equal(
    csvLines([record]),
    `msg_1,sms,+4915112345678,failed,,2026-11-26T10:00:00.000Z,,,,,2,x,"'=HYPERLINK(""http://evil.example"",""look"")",'@ref,'=order,"{""customer"":""c-17""}",req_1,false,"He said ""hello"",\ntwice"\r\n`,
  );
  assert.equal(csvHead.split(",").length, 19);
});

test("no cell begins a formula, wherever a spreadsheet parts cells", () => {
  const cellOf = (text: string) => csvLines([{ message: text } as unknown as MessageRecord]).trimEnd();
  for (const start of ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\0="])
    for (const before of ["", "x;", "x\t", "x|", "x\n", "x\r\n", "x;y;"]) {
      const line = cellOf(`${before}${start}1+1`);
      for (const part of line.replaceAll('"', "").split(/[,;\t|\r\n]/))
        assert.doesNotMatch(part, /^[=+\-@＝＋－＠\0]/, JSON.stringify(line));
    }
});

test("a filtered log is saved, all of its pages", { skip: missing, timeout: 120_000 }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const contact = Array.from({ length: 250 }, (_, i) => ({
    number: `+1555${String(1_000_000 + i)}`,
    message: `Text ${i}`,
  }));
  await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  const mail = [{ email: "ada@example.com", subject: "Hello", message: "Text" }];
  await api(at, "POST", `/accounts/${account}/messages`, { channel: "email", contact: mail });
  await page.goto(`${url}/a/${account}/messages?channel=sms`);
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const download = await saved;
  assert.match(download.suggestedFilename(), /^messages-default-\d{4}-\d\d-\d\d\.csv$/);
  const text = (await buffer(await download.createReadStream())).toString();
  assert.ok(text.startsWith("\ufeffid,channel,recipient,"));
  const lines = text.trimEnd().split("\r\n");
  assert.equal(lines.length, 251);
  assert.ok(lines.slice(1).every((line) => line.includes(",sms,+1555")));
  await page.getByText("Found all that match: 250. The file contains them.").waitFor();
  await expectSound(at, "an export");
  await page.getByRole("button", { name: "Close" }).click();
});
