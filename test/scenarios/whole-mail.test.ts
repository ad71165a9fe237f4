// A whole mail: several recipients, headers, tags, a text part, an image within the mail and a sender of its own. It goes out once, to all,
// and each recipient has a status of their own.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import PostalMime from "postal-mime";
import type { EmailRecord } from "#contract/messages/record.ts";
import { storeReport } from "#messaging/feedback/store-report.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { cert } from "../gateways/email/certificate.ts";
import { openScriptedSmtp, type Script, type ScriptedSmtp } from "../gateways/email/scripted-smtp.ts";
import { type EngineName, type Harness, harness, someEngines } from "../harness.ts";
import { listen, posts, says } from "./receiver.ts";

const gateway = "mail";
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const mail = {
  email: "ada@example.net",
  subject: "Hello",
  message: '<p>Hello <img src="cid:logo"></p>',
  gateway_identifier: gateway,
};
const several = { to: ["bob@example.net"], cc: ["Carol@example.net"], bcc: ["dan@example.net"] };

async function opened(
  context: TestContext,
  engine: EngineName,
  { settings = {}, script }: { settings?: object; script?: Script } = {},
): Promise<{ it: Harness; server: ScriptedSmtp }> {
  const it = await harness({ allow: "127.0.0.0/8", engine });
  context.after(() => it.close());
  const server = await openScriptedSmtp({ security: "starttls", ...(script && { script }) });
  context.after(() => server.close());
  await it.account({ plan: { name: "basic", expires_at: null, credit: { email: 100 } } });
  await it.gateway({
    identifier: gateway,
    channel: "email",
    kind: "smtp",
    settings: { host: "localhost", port: server.port, ca: cert, from: "news@example.com", ...settings },
  });
  return { it, server };
}

async function accepted(it: Harness, contact: object, more: object = {}): Promise<string> {
  const reply = await it.post("/api/email/send", { contact: [{ ...mail, ...contact }], ...more });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().data.contact[0].id;
}

const recordOf = async (it: Harness, id: string): Promise<EmailRecord> =>
  (await it.get(`/api/get/email/${id}`)).json().data;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The record once the message no longer waits or is being sent. */
async function settled(it: Harness, id: string): Promise<EmailRecord> {
  for (let looks = 0; looks < 200; looks += 1) {
    await it.settle();
    const record = await recordOf(it, id);
    if (record.status !== "queued" && record.status !== "sending") return record;
    for (let turns = 0; turns < 20; turns += 1) await turn();
  }
  throw new Error(
    `It came to no end: ${JSON.stringify(
      it.log
        .lines()
        .filter((l) => l.level !== "debug")
        .slice(-4),
    )}`,
  );
}

const statuses = ({ recipients }: EmailRecord) =>
  Object.fromEntries(recipients.map(({ email, status, error }) => [email, error?.code ?? status]));

async function report(it: Harness, receipt: object): Promise<void> {
  const row = await it.system.database.run(findGatewayByIdentifier, gateway);
  assert.ok(row);
  const deps = { ...it.system.core, publicUrl: null };
  await storeReport(deps, row, { receipts: [{ reference: null, ...receipt } as never] });
}

for (const engine of someEngines(import.meta.filename)) {
  test(`${engine}: one transmission to all, and the mail has what was written`, async (context) => {
    const { it, server } = await opened(context, engine);
    const id = await accepted(
      it,
      {
        ...several,
        bcc: ["dan@example.net", "ADA@example.net"],
        from_email: "billing@example.com",
        text: "Hello.",
        headers: { "X-Order": "4711", References: "<1@example.com> <2@example.com>" },
        tags: ["welcome", "campaign:spring"],
      },
      {
        attachments: [
          { filename: "logo.png", content: png.toString("base64"), content_id: "logo" },
          { filename: "a.txt", content: Buffer.from("A file.").toString("base64") },
        ],
      },
    );
    const record = await settled(it, id);
    assert.equal(record.status, "sent");
    const [handed, ...rest] = server.handed;
    assert.ok(handed);
    assert.deepEqual(rest, []);
    assert.equal(handed.from, "billing@example.com");
    assert.deepEqual(handed.to, [
      "ada@example.net",
      "bob@example.net",
      "Carol@example.net",
      "dan@example.net",
    ]);
    const read = await PostalMime.parse(handed.raw);
    assert.deepEqual(
      [read.from?.address, read.to?.map(({ address }) => address), read.cc?.map(({ address }) => address)],
      ["billing@example.com", ["ada@example.net", "bob@example.net"], ["Carol@example.net"]],
    );
    assert.doesNotMatch(handed.raw.toString("latin1"), /dan@|bcc/i);
    assert.equal(read.text?.trim(), "Hello.");
    assert.match(read.html ?? "", /cid:logo/);
    const headers = new Map(read.headers.map(({ key, value }) => [key, value]));
    assert.equal(headers.get("x-order"), "4711");
    assert.equal(headers.get("references"), "<1@example.com> <2@example.com>");
    assert.deepEqual(
      read.attachments.map(({ filename, disposition, contentId }) => [
        filename,
        disposition,
        contentId ?? null,
      ]),
      [
        ["logo.png", "inline", "<logo>"],
        ["a.txt", "attachment", null],
      ],
    );
    assert.deepEqual(record.tags, ["welcome", "campaign:spring"]);
    assert.equal(record.text, "Hello.");
    assert.equal(record.from_email, "billing@example.com");
    assert.deepEqual(
      record.recipients.map(({ email, field }) => `${field} ${email}`),
      ["to ada@example.net", "to bob@example.net", "cc Carol@example.net", "bcc dan@example.net"],
    );
    const account = (await it.get("/api/account")).json().data;
    assert.equal(account.credit.email.remaining, 96);
  });

  test(`${engine}: names of recipients are in the header and the record, also of a mail to one`, async (context) => {
    const { it, server } = await opened(context, engine);
    const named = {
      to: ["Lovelace, Ada <ADA@example.net>", '"Bob \\"B\\"" <bob@example.net>'],
      cc: ["Çarol <Carol@example.net>"],
      bcc: ["Dan <dan@example.net>"],
      reply_to_email: "Hélp, Desk <help@bücher.example>",
    };
    const record = await settled(it, await accepted(it, named));
    const alone = await settled(it, await accepted(it, { to: ["Ada <ada@example.net>"] }));
    const [handed, single] = server.handed;
    assert.ok(handed && single);
    assert.deepEqual(handed.to, [
      "ada@example.net",
      "bob@example.net",
      "Carol@example.net",
      "dan@example.net",
    ]);
    const mailboxes = async (raw: Buffer) => {
      const { to = [], cc = [], replyTo = [] } = await PostalMime.parse(raw);
      return [...to, ...cc, ...replyTo].map(({ name, address }) => [name, address]);
    };
    assert.deepEqual(await mailboxes(handed.raw), [
      ["Lovelace, Ada", "ada@example.net"],
      ['Bob "B"', "bob@example.net"],
      ["Çarol", "Carol@example.net"],
      ["Hélp, Desk", "help@xn--bcher-kva.example"],
    ]);
    assert.deepEqual(
      record.recipients.map(({ email, field }) => `${field} ${email}`),
      ["to ada@example.net", "to bob@example.net", "cc Carol@example.net", "bcc dan@example.net"],
    );
    assert.deepEqual(
      [record.names, record.reply_to_email, alone.names],
      [
        {
          "ada@example.net": "Lovelace, Ada",
          "bob@example.net": 'Bob "B"',
          "carol@example.net": "Çarol",
          "dan@example.net": "Dan",
        },
        named.reply_to_email,
        { "ada@example.net": "Ada" },
      ],
    );
    assert.deepEqual([alone.recipients, single.to], [[], ["ada@example.net"]]);
    assert.deepEqual(await mailboxes(single.raw), [["Ada", "ada@example.net"]]);
    const account = (await it.get("/api/account")).json().data;
    assert.equal(account.credit.email.remaining, 95);
  });

  test(`${engine}: a refused recipient is not confused with the others`, async (context) => {
    const script: Script = (stage, nth) => (stage === "RCPT" && nth === 2 ? "550 5.1.1 No such user" : null);
    const { it, server } = await opened(context, engine, { script });
    const id = await accepted(it, several);
    const record = await settled(it, id);
    assert.equal(record.status, "sent");
    assert.deepEqual(server.handed[0]?.to.length, 3);
    assert.deepEqual(statuses(record), {
      "ada@example.net": "sent",
      "bob@example.net": "5.1.1",
      "Carol@example.net": "sent",
      "dan@example.net": "sent",
    });
    assert.match(record.events?.at(-1)?.detail ?? "", /bob@example\.net/);
    // As after a bounce: the address does not exist.
    const next = await accepted(it, { email: "bob@example.net" });
    assert.equal((await settled(it, next)).status, "suppressed");
  });

  test(`${engine}: all recipients refused is a mail that was not sent`, async (context) => {
    const script: Script = (stage) => (stage === "RCPT" ? "550 5.1.1 No such user" : null);
    const { it } = await opened(context, engine, { script });
    const record = await settled(it, await accepted(it, { to: ["bob@example.net"] }));
    assert.equal(record.status, "failed");
    assert.deepEqual(statuses(record), { "ada@example.net": "5.1.1", "bob@example.net": "5.1.1" });
  });

  test(`${engine}: the sandbox plays each recipient of a mail`, async (context) => {
    const { it } = await opened(context, engine);
    await it.gateway({ identifier: "played", channel: "email", kind: "sandbox" });
    const play = async (email: string, ...to: string[]) => {
      const at = (local: string) => `${local}@example.net`;
      const contact = { email: at(email), to: to.map(at), gateway_identifier: "played" };
      const record = await settled(it, await accepted(it, contact));
      const each = Object.entries(statuses(record)).map(
        ([address, status]) => `${address.split("@")[0]} ${status}`,
      );
      return [record.status, ...each].join(", ");
    };
    const played: [recipients: [string, ...string[]], result: string][] = [
      [["ada", "delivered"], "delivered, ada delivered, delivered delivered"],
      [["ada", "refused"], "delivered, ada delivered, refused sandbox_refused"],
      [["refused", "ada"], "delivered, refused sandbox_refused, ada delivered"],
      [["bounced", "ada"], "delivered, bounced sandbox_bounced, ada delivered"],
      [["bounced", "Refused"], "bounced, bounced sandbox_bounced, Refused sandbox_refused"],
      [["ada", "unknown"], "unknown, ada unknown, unknown unknown"],
    ];
    for (const [recipients, result] of played) assert.equal(await play(...recipients), result);
    const row = await it.system.database.run(findGatewayByIdentifier, "played");
    it.respond(() => says(204));
    await listen(it, row?.account_id ?? "", { events: ["message.recipient_bounced"] });
    // Whether the message is `sent` or `delivered` by then depends on which report came first.
    await play("ada", "bounced");
    await play("ada", "delivered");
    await play("bounced", "refused");
    await it.advance(10_000);
    const bounces = posts(it).map(({ data }) => {
      return (data as EmailRecord).recipients.map(({ status }) => status).join(" ");
    });
    assert.deepEqual(bounces, ["delivered bounced"]);
  });

  test(`${engine}: the suppression list holds for each recipient`, async (context) => {
    const { it, server } = await opened(context, engine);
    const { addSuppressions } = await import("#store/feedback/suppressions.ts");
    const row = await it.system.database.run(findGatewayByIdentifier, gateway);
    const suppress = (recipients: string[]) =>
      it.system.database.run(addSuppressions, {
        accountId: row?.account_id ?? "",
        channel: "email",
        recipients,
        note: null,
        at: it.clock.now(),
      });
    await suppress(["ada@example.net", "carol@example.net"]);
    const record = await settled(it, await accepted(it, several));
    assert.equal(record.status, "sent");
    assert.deepEqual(server.handed[0]?.to, ["bob@example.net", "dan@example.net"]);
    assert.doesNotMatch(server.handed[0]?.raw.toString("latin1") ?? "", /ada@|carol@/i);
    assert.deepEqual(statuses(record), {
      "ada@example.net": "suppressed",
      "bob@example.net": "sent",
      "Carol@example.net": "suppressed",
      "dan@example.net": "sent",
    });
    // Copies alone are not sent.
    await suppress(["bob@example.net"]);
    assert.equal((await settled(it, await accepted(it, several))).status, "suppressed");
    assert.equal(server.handed.length, 1);
  });

  test(`${engine}: reports on single recipients decide the mail together`, async (context) => {
    const { it } = await opened(context, engine);
    const id = await accepted(it, { to: ["bob@example.net"], cc: ["carol@example.net"] });
    await settled(it, id);
    const bounced = {
      messageId: id,
      status: "bounced",
      code: "5.1.1",
      reason: "No such user",
      bounce: "hard",
    };
    await report(it, { ...bounced, recipient: "Bob@example.net" });
    let record = await recordOf(it, id);
    assert.equal(record.status, "sent");
    assert.match(record.events?.at(-1)?.detail ?? "", /^bob@example\.net: .*No such user/);
    assert.deepEqual(statuses(record), {
      "ada@example.net": "sent",
      "bob@example.net": "5.1.1",
      "carol@example.net": "sent",
    });
    // A report without an address could be about any of them.
    await report(it, { messageId: id, status: "delivered" });
    assert.equal((await recordOf(it, id)).status, "sent");
    await report(it, { messageId: id, status: "delivered", recipient: "ada@example.net" });
    assert.equal((await recordOf(it, id)).status, "sent");
    await report(it, { messageId: id, status: "delivered", recipient: "carol@example.net" });
    record = await recordOf(it, id);
    assert.equal(record.status, "delivered");
    assert.deepEqual(statuses(record), {
      "ada@example.net": "delivered",
      "bob@example.net": "5.1.1",
      "carol@example.net": "delivered",
    });
    // The address that bounced is suppressed, and no other.
    assert.equal((await settled(it, await accepted(it, { email: "bob@example.net" }))).status, "suppressed");
    assert.equal((await settled(it, await accepted(it, { email: "ada@example.net" }))).status, "sent");
    // A mail server may return a mail that it took.
    await report(it, { ...bounced, recipient: "ada@example.net" });
    assert.equal((await recordOf(it, id)).status, "delivered");
    await report(it, { ...bounced, recipient: "carol@example.net" });
    assert.equal((await recordOf(it, id)).status, "bounced");
  });
}

test("what a gateway does not allow is refused at acceptance, by its name", async (context) => {
  const { it } = await opened(context, "sqlite", { settings: { unsubscribe: true } });
  const errorsOf = async (contact: object, more: object = {}) => {
    const reply = await it.post("/api/email/send", { contact: [{ ...mail, ...contact }], ...more });
    assert.equal(reply.statusCode, 422, reply.body);
    return reply.json().errors;
  };
  assert.deepEqual(await errorsOf({ from_email: "ada@other.example" }), {
    "contact.0.from_email": ["Gateway mail sends from addresses of example.com only."],
  });
  assert.deepEqual(await errorsOf({ cc: ["bob@example.net"] }), {
    "contact.0.cc": [
      "Gateway mail adds an unsubscribe link to each mail, so a mail can have one recipient only.",
    ],
  });
  await it.gateway({
    identifier: "brevo",
    channel: "email",
    kind: "brevo",
    settings: { from: "news@example.com", api_key: "a key of Brevo" },
  });
  assert.deepEqual(
    await errorsOf({ gateway_identifier: "brevo", reply_to_email: "Help <a@b.example>, c@d.example" }),
    { "contact.0.reply_to_email": ["Gateway brevo of kind brevo takes one address for replies."] },
  );
  const image = { filename: "logo.png", content: png.toString("base64"), content_id: "logo" };
  assert.deepEqual(await errorsOf({ gateway_identifier: "brevo" }, { attachments: [image] }), {
    "contact.0.message": ["Gateway brevo of kind brevo cannot send images within a mail (content_id)."],
  });
});
