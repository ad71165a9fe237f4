// Resend's package for Node, unmodified: sends, retrieves, moves and cancels by its address variable alone.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Resend } from "resend";
import { type Harness, harness } from "../../../harness.ts";
import { askResend, emailsPath, packageClient, postEmail } from "./resend-peer.ts";

const from = "Acme <news@acme.example>";
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("resend's package for Node", () => {
  let it: Harness;
  let key: string;
  let client: Resend;
  before(async () => {
    it = await harness();
    ({ key } = await it.account({ time_zone: "Europe/Berlin" }));
    await it.gateway({ identifier: "mail", channel: "email", default: true });
    client = await packageClient(it, key);
  });
  after(() => it?.close());

  /** The id of an email that must be accepted. */
  async function sent(email: Parameters<Resend["emails"]["send"]>[0]): Promise<string> {
    const { data, error } = await client.emails.send(email);
    assert.equal(error, null);
    assert.match(data!.id, uuid);
    return data!.id;
  }

  test("sends a whole mail, and retrieves it", async () => {
    const id = await sent({
      from,
      to: ["Ada <ada@example.com>", "bob@example.com"],
      cc: "cy@example.com",
      bcc: ["dan@example.com"],
      replyTo: "Help <help@acme.example>",
      subject: "Your invoice",
      html: '<p>Hello <img src="cid:logo"></p>',
      text: "Hello",
      headers: { "X-Order": "1001" },
      tags: [
        { name: "campaign", value: "spring" },
        { name: "kind", value: "invoice" },
      ],
      attachments: [
        { filename: "logo.png", content: png, contentId: "logo" },
        { filename: "invoice.pdf", content: Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64") },
      ],
    });
    const { data } = await client.emails.get(id);
    assert.deepEqual(data, {
      object: "email",
      id,
      to: ["Ada <ada@example.com>", "bob@example.com"],
      from,
      created_at: data!.created_at,
      subject: "Your invoice",
      html: '<p>Hello <img src="cid:logo"></p>',
      text: "Hello",
      bcc: ["dan@example.com"],
      cc: ["cy@example.com"],
      reply_to: ["Help <help@acme.example>"],
      last_event: "queued",
      scheduled_at: null,
      tags: [
        { name: "campaign", value: "spring" },
        { name: "kind", value: "invoice" },
      ],
    });
    const own = await it.get(`/api/get/email/${await ownId(id)}`);
    assert.deepEqual(
      own
        .json()
        .data.attachments.map(({ filename, size }: { filename: string; size: number }) => [filename, size]),
      [
        ["logo.png", png.length],
        ["invoice.pdf", 15],
      ],
    );
  });

  const mailboxes: [what: string, fields: object, shown: object][] = [
    [
      "names in every field",
      {
        to: "Ada <ada@example.com>",
        cc: ["Bob <BOB@example.com>", "cy@example.com"],
        bcc: "Dan <dan@example.com>",
        replyTo: ["Help, Desk <help@acme.example>", "desk@acme.example"],
      },
      {
        to: ["Ada <ada@example.com>"],
        cc: ["Bob <BOB@example.com>", "cy@example.com"],
        bcc: ["Dan <dan@example.com>"],
        reply_to: ['"Help, Desk" <help@acme.example>', "desk@acme.example"],
      },
    ],
    [
      "a name of one recipient, and empty lists",
      { to: ['"Byron, Ada" <ada@example.com>'], cc: [], bcc: [], replyTo: [] },
      { to: ['"Byron, Ada" <ada@example.com>'], cc: [], bcc: [], reply_to: [] },
    ],
  ];
  for (const [what, fields, shown] of mailboxes)
    test(`an email and a list of emails show ${what}`, async () => {
      const id = await sent({ from, to: "", subject: "Named", text: "Hi", ...fields });
      const [listed] = (await client.emails.list({ limit: 1 })).data!.data;
      for (const email of [(await client.emails.get(id)).data!, listed!]) {
        const { to, cc, bcc, reply_to } = email;
        assert.deepEqual({ to, cc, bcc, reply_to }, shown);
      }
    });

  /** The id of the newest message here, whose UUID must be this one. */
  async function ownId(id: string): Promise<string> {
    const listed = await it.get("/api/get/email?limit=1");
    const [newest] = listed.json().data.messages ?? listed.json().data;
    const byOwnId = await askResend(it, key, { method: "GET", url: `${emailsPath}/${newest.id}` });
    assert.equal(byOwnId.json().id, id);
    return newest.id;
  }

  test("a text stays a text, and HTML without a tag stays HTML", async () => {
    const shown = async (content: { text: string } | { html: string }) => {
      const id = await sent({ from: "news@acme.example", to: "ada@example.com", subject: "Hi", ...content });
      const { data } = await client.emails.get(id);
      return [data!.html, data!.text];
    };
    assert.deepEqual(await shown({ text: "1 < 2" }), [null, "1 < 2"]);
    assert.deepEqual(await shown({ html: "Tom &amp; Ada" }), ["<div>Tom &amp; Ada</div>", null]);
    const [html, text] = await shown({ text: "Write <b> for bold" });
    assert.equal(text, "Write <b> for bold");
    assert.match(html!, /Write &lt;b&gt; for bold/);
  });

  test("schedules, moves and cancels", async () => {
    const day = 86_400_000;
    const at = (days: number) =>
      new Date(Math.floor(it.clock.now() / 1000) * 1000 + days * day).toISOString();
    const email = { from, to: "ada@example.com", subject: "Later", text: "Hi" };
    const id = await sent({ ...email, scheduledAt: at(1) });
    const first = await client.emails.get(id);
    assert.deepEqual([first.data!.last_event, first.data!.scheduled_at], ["scheduled", at(1)]);
    assert.deepEqual((await client.emails.update({ id, scheduledAt: at(2) })).data, { object: "email", id });
    assert.equal((await client.emails.get(id)).data!.scheduled_at, at(2));
    assert.deepEqual((await client.emails.cancel(id)).data, { object: "email", id });
    assert.equal((await client.emails.get(id)).data!.last_event, "canceled");
    const gone = await sent(email);
    await it.settle();
    assert.equal((await client.emails.get(gone)).data!.last_event, "delivered");
    const { error } = await client.emails.cancel(gone);
    assert.deepEqual([error!.statusCode, error!.name], [422, "validation_error"]);
  });

  test("a batch is accepted as a whole, in its order", async () => {
    const emails = [1, 2, 3].map((n) => ({
      from,
      to: `user${n}@example.com`,
      subject: `Mail ${n}`,
      html: `<p>${n}</p>`,
    }));
    const { data, error } = await client.batch.send(emails);
    assert.equal(error, null);
    const subjects: string[] = [];
    for (const { id } of data!.data) subjects.push((await client.emails.get(id)).data!.subject);
    assert.deepEqual(subjects, ["Mail 1", "Mail 2", "Mail 3"]);
    const refused = await client.batch.send([emails[0]!, { ...emails[1]!, to: "user2" }]);
    assert.equal(refused.error!.message, "emails.1: The to field must be a valid email address.");
  });

  test("a repeated request with its key is one email, and another one is refused", async () => {
    const email = { from, to: "ada@example.com", subject: "Once", text: "Hi" };
    const idempotencyKey = "invoice-1001";
    const first = await client.emails.send(email, { idempotencyKey });
    const again = await client.emails.send(email, { idempotencyKey });
    assert.equal(again.data!.id, first.data!.id);
    assert.equal(again.headers!["idempotent-replayed"], "true");
    const other = await client.emails.send({ ...email, subject: "Twice" }, { idempotencyKey });
    assert.deepEqual([other.error!.statusCode, other.error!.name], [409, "invalid_idempotent_request"]);
  });

  test("an account sees and changes no email of another", async () => {
    const scheduledAt = new Date(it.clock.now() + 86_400_000).toISOString();
    const id = await sent({ from, to: "ada@example.com", subject: "Mine", text: "Hi", scheduledAt });
    const other = await it.account({ name: "other" });
    const theirs = await packageClient(it, other.key);
    const results = [
      await theirs.emails.get(id),
      await theirs.emails.cancel(id),
      await theirs.emails.update({ id, scheduledAt }),
    ];
    for (const { error } of results) assert.deepEqual([error!.statusCode, error!.name], [404, "not_found"]);
    assert.equal((await client.emails.get(id)).data!.last_event, "scheduled");
  });

  test("the sender's domain chooses the gateway, and one that no gateway has is refused", async () => {
    const { key: own } = await it.account({ name: "domains" });
    for (const domain of ["one.example", "two.example"])
      await it.gateway({
        identifier: `mail-${domain}`,
        channel: "email",
        kind: "resend",
        default: domain === "one.example",
        settings: { api_key: "re_1", from: `news@${domain}` },
      });
    const email = { to: "ada@example.com", subject: "Hi", text: "Hi" };
    const reply = await postEmail(it, own, { ...email, from: "info@two.example" });
    assert.equal(reply.statusCode, 200, reply.body);
    const refused = await postEmail(it, own, { ...email, from: "info@three.example" });
    assert.deepEqual([refused.statusCode, refused.json().name], [403, "validation_error"]);
    assert.match(refused.json().message, /three\.example domain is not verified/);
  });
});
