// Email, in the words of the one who sends it: through the sandbox gateway, with real HTTP where files are uploaded.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { type EmailRecord, emailRecord } from "#contract/messages/record.ts";
import { emailSendReply } from "#contract/replies.ts";
import { findUnneededFiles } from "#store/email/attachments.ts";
import { readEmailFiles, readFileChunks } from "#store/email/emails.ts";
import { type Harness, type HarnessOptions, harness, someEngines } from "../harness.ts";
import { listen, posts, says } from "./receiver.ts";

const path = "/api/email/send";
const mail = { email: "delivered@example.com", subject: "Hello", message: "<p>Hello Ada</p>" };
const pdf = (filler = 100) => Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(filler, "pdf")]);

async function withHarness(options: HarnessOptions, run: (it: Harness) => Promise<void>): Promise<void> {
  const it = await harness(options);
  try {
    await it.account();
    await it.gateway({ identifier: "mail", channel: "email" });
    await run(it);
  } finally {
    await it.close();
  }
}

async function accepted(it: Harness, body: object): Promise<string[]> {
  const reply = await it.post(path, body);
  assert.equal(reply.statusCode, 200, reply.body);
  return emailSendReply.parse(reply.json()).data.contact.map(({ id }) => id);
}

async function record(it: Harness, id: string): Promise<EmailRecord> {
  const reply = await it.get(`/api/get/email/${id}`);
  assert.equal(reply.statusCode, 200, reply.body);
  return emailRecord.parse(reply.json().data);
}

/** What the server itself answers to what clients really send. */
async function listening(it: Harness): Promise<(init: RequestInit, query?: string) => Promise<Response>> {
  await it.system.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = it.system.app.server.address() as AddressInfo;
  return (init, query = "") => fetch(`http://127.0.0.1:${port}${path}${query}`, { method: "POST", ...init });
}

for (const engine of someEngines(import.meta.filename)) {
  test(`emails are sent, bounce, wait and are cancelled (${engine})`, async () => {
    await withHarness({ engine }, async (it) => {
      const ids = await accepted(it, {
        contact: [
          { ...mail, sender_name: "Support @ Acme", reply_to_email: "help@example.org" },
          { ...mail, email: "Bounced@Exämple.com" },
          { ...mail, schedule_at: "2100-01-31 09:00:00", gateway_identifier: "mail" },
        ],
        attachments: [{ filename: "C:\\papers\\Rechnung März.pdf", content: pdf().toString("base64") }],
      });
      await it.advance(1_000);
      const [sent, bounced, waiting] = await Promise.all(ids.map((id) => record(it, id)));
      assert.equal(sent?.status, "delivered");
      assert.equal(sent.email, mail.email);
      assert.equal(sent.subject, "Hello");
      assert.equal(sent.message, mail.message);
      assert.equal(sent.sender_name, "Support @ Acme");
      assert.equal(sent.reply_to_email, "help@example.org");
      assert.equal(sent.test, true);
      assert.equal(sent.opened_at, null);
      assert.equal(sent.open_count, 0);
      const file = { filename: "Rechnung März.pdf", size: 109, content_type: "application/pdf" };
      assert.deepEqual(sent.attachments, [file]);
      assert.equal(bounced?.status, "bounced");
      assert.equal(bounced.email, "Bounced@Exämple.com");
      assert.equal(bounced.error?.code, "sandbox_bounced");
      assert.equal(waiting?.status, "scheduled");
      assert.deepEqual(waiting.attachments, [file]);

      const cancelled = await it.post(`/api/cancel/email/${ids[2]}`);
      assert.equal(emailRecord.parse(cancelled.json().data).status, "cancelled");
      const page = await it.get("/api/get/email?limit=2");
      assert.deepEqual(
        page.json().data.map((one: EmailRecord) => [one.id, one.attachments.length]),
        [ids[2], ids[1]].map((id) => [id, 1]),
      );
      assert.equal((await it.get(`/api/get/sms/${ids[0]}`)).statusCode, 404);
    });
  });

  test(`what is unknown is sent again with its files, which are there until then (${engine})`, async () => {
    await withHarness({ engine, settings: { maintenanceMs: 60_000 } }, async (it) => {
      const content = pdf().toString("base64");
      const files = [{ filename: "a.pdf", content }];
      const [gone] = await accepted(it, { contact: [mail], attachments: files });
      const [unknown] = await accepted(it, {
        contact: [{ ...mail, email: "unknown@example.com" }],
        attachments: files,
      });
      // Past a whole walk of the upkeep.
      await it.advance(2 * 3_600_000);
      const full = async () => {
        const asked = { after: "", limit: 10 };
        return (await it.system.database.run(findUnneededFiles, asked)).unneeded.length;
      };
      assert.equal((await record(it, gone!)).status, "delivered");
      assert.equal((await record(it, gone!)).attachments.length, 1);
      assert.equal(await full(), 0);
      assert.equal((await record(it, unknown!)).status, "unknown");
      const again = await it.post(`/api/resolve/email/${unknown}`, { answer: "send_again" });
      assert.equal(again.statusCode, 200, again.body);
      await it.advance(60_000);
      const { status, attempts } = await record(it, unknown!);
      assert.deepEqual([status, attempts], ["unknown", 2]);
      assert.equal(await full(), 0);
      await it.post(`/api/resolve/email/${unknown}`, { answer: "mark_sent" });
      assert.equal(await full(), 1);
    });
  });
}

test("a repeated request with the same file is the same request, with another one it is not", async () => {
  await withHarness({}, async (it) => {
    const post = await listening(it);
    const { key } = await it.account({ name: "repeats" });
    await it.gateway({ identifier: "mail-2", channel: "email" });
    const send = (content: Buffer, name = "a.pdf") => {
      const form = new FormData();
      form.append("attachments[]", new Blob([new Uint8Array(content)]), name);
      form.append("contact", JSON.stringify([mail]));
      return post({ body: form, headers: { "Api-key": key, "Idempotency-Key": "k" } });
    };
    const first = await send(pdf());
    assert.equal(first.status, 200);
    const again = await send(pdf());
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.deepEqual(await again.json(), await first.json());
    for (const other of [await send(pdf(101)), await send(pdf(), "b.pdf")]) {
      assert.equal(other.status, 422);
      assert.equal(((await other.json()) as { code: string }).code, "idempotency_mismatch");
    }
  });
});

test("a webhook hears of an email without its body", async () => {
  await withHarness({ respond: () => says(200) }, async (it) => {
    const { id } = await it.account({ name: "told" });
    await it.gateway({ identifier: "mail-told", channel: "email" });
    await listen(it, id);
    await accepted(it, {
      contact: [mail],
      attachments: [{ filename: "a.txt", content: Buffer.from("hello").toString("base64") }],
    });
    await it.advance(5_000);
    const events = posts(it);
    assert.deepEqual(
      [events[0]?.type, events.at(-1)?.type],
      ["message.queued", "message.delivered"],
      events.map(({ type }) => type).join(" "),
    );
    for (const { data } of events) {
      assert.ok(data.channel === "email");
      assert.equal(data.email, mail.email);
      assert.equal(data.subject, mail.subject);
      assert.equal("message" in data, false);
      assert.deepEqual(data.attachments, [{ filename: "a.txt", size: 5, content_type: "text/plain" }]);
    }
  });
});

test("ten thousand contacts share one file of five megabytes, which is stored once", async () => {
  await withHarness({}, async (it) => {
    const post = await listening(it);
    const { key } = await it.account({ name: "campaign" });
    await it.gateway({ identifier: "mail-campaign", channel: "email" });
    const content = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(5 * 1024 * 1024, "0123456789")]);
    const form = new FormData();
    for (let at = 0; at < 10_000; at++) {
      form.append(`contact[${at}][email]`, `person${at}@example.com`);
      form.append(`contact[${at}][subject]`, "News");
      form.append(`contact[${at}][message]`, "<p>Hello</p>");
      form.append(`contact[${at}][schedule_at]`, "2100-01-01 00:00:00");
    }
    form.append("attachments", new Blob([new Uint8Array(content)]), "news.pdf");
    const reply = await post({ body: form, headers: { "Api-key": key } });
    const body = emailSendReply.parse(await reply.json());
    assert.equal(reply.status, 200);
    assert.equal(body.data.contact.length, 10_000);
    assert.equal(body.data.contact[9_999]?.email, "person9999@example.com");
    const one = await record(it, body.data.contact[5_000]!.id);
    assert.deepEqual(one.attachments, [
      { filename: "news.pdf", size: content.length, content_type: "application/pdf" },
    ]);
    const files = await it.system.database.run(readEmailFiles, body.data.request_id);
    assert.equal(files.length, 1);
    assert.equal(files[0]?.sha256, createHash("sha256").update(content).digest("hex"));
    const pieces = await it.system.database.run(readFileChunks, {
      id: files[0]!.id,
      from: 0,
      limit: 100,
    });
    assert.ok(pieces.every((piece) => piece.length <= 256 * 1024));
    assert.ok(Buffer.from(pieces.join(""), "base64").equals(content));
  });
});
