// POST /api/email/send: what a client gets back for JSON and plain forms. Uploads are in ../upload.test.ts.

import assert from "node:assert/strict";
import test from "node:test";
import { noMailParts } from "#contract/messages/mail/parts.ts";
import { emailSendReply, validationReply } from "#contract/replies.ts";
import { type Asked, ask, edge, key } from "../../edge.ts";

const url = "/api/email/send";
const mail = { email: "ada@example.com", subject: "Hello", message: "Hi" };
const text = { filename: "a.txt", content: "aGVsbG8=" };

const post = (to: ReturnType<typeof edge>, body: unknown, more: Partial<Asked> = {}) =>
  ask(to, {
    url,
    headers: { "api-key": key, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...more,
  });

test("an accepted send, to the letter", async () => {
  const to = edge();
  const contact = { ...mail, sender_name: "Acme", reply_to_email: "b@example.com" };
  const { status, headers, json } = await post(to, { contact: [contact], attachments: [text] });
  assert.equal(status, 200);
  assert.deepEqual(json, {
    success: true,
    message: "Email messages have been queued.",
    data: {
      request_id: headers["x-request-id"],
      contact: [{ email: mail.email, status: "queued", id: "msg_0" }],
    },
  });
  assert.deepEqual(emailSendReply.parse(json), json);
  const [{ send, files } = assert.fail()] = to.mails;
  assert.deepEqual(send, {
    contacts: [
      {
        ...{ ...contact, gateway_identifier: null, schedule_at: null, reference: null, metadata: null },
        ...noMailParts,
      },
    ],
    issues: [],
  });
  assert.deepEqual(
    files.map(({ filename, content_type, size }) => ({ filename, content_type, size })),
    [{ filename: "a.txt", content_type: "text/plain", size: 5 }],
  );
  assert.deepEqual([...to.staged.values()], ["aGVsbG8="]);
});

test("the same as a form", async () => {
  const to = edge();
  const body =
    "contact[0][email]=ada%40example.com&contact[0][subject]=Hello&contact[0][message]=Hi&attachments[0][filename]=a.txt&attachments[0][content]=aGVsbG8%3D";
  const headers = { "api-key": key, "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await post(to, body, { headers })).status, 200);
  assert.equal(to.mails[0]?.files[0]?.size, 5);
});

test("no attachments is an empty list, null or nothing", async () => {
  for (const attachments of [[], null, undefined]) {
    const to = edge();
    assert.equal((await post(to, { contact: [mail], attachments })).status, 200);
    assert.deepEqual(to.mails[0]?.files, []);
  }
});

const required = (path: string) => [`The ${path} field is required.`];
const faulty: [name: string, body: unknown, errors: Record<string, string[]>][] = [
  ["nothing", {}, { contact: required("contact") }],
  [
    "an empty contact",
    { contact: [{}] },
    {
      "contact.0.email": required("contact.0.email"),
      "contact.0.subject": required("contact.0.subject"),
      "contact.0.message": required("contact.0.message"),
    },
  ],
  [
    "faults of contacts and of files together",
    {
      contact: [{ ...mail, email: "x" }],
      attachments: [{ ...text, filename: "a.png" }, { path: "/etc/passwd" }],
    },
    {
      "contact.0.email": ["The contact.0.email field must be a valid email address."],
      "attachments.1.filename": required("attachments.1.filename"),
      "attachments.1.content": required("attachments.1.content"),
      "attachments.0": [
        "The attachments.0 field must be a file of type: pdf, doc, docx, xls, xlsx, csv, txt, png, jpg, jpeg, gif, zip, rar, svg, webp.",
      ],
    },
  ],
  [
    "a file that is an address",
    { contact: [mail], attachments: [{ filename: "a.txt", href: "http://127.0.0.1/" }] },
    { "attachments.0.content": required("attachments.0.content") },
  ],
];
for (const [name, body, errors] of faulty) {
  test(`422, and nothing stays: ${name}`, async () => {
    const to = edge();
    const { status, json } = await post(to, body);
    assert.equal(status, 422);
    assert.deepEqual({ ...validationReply.parse(json).errors }, errors);
    assert.equal(to.staged.size, 0);
  });
}

test("when acceptance refuses, the files do not stay", async () => {
  const results = [
    { kind: "insufficient_credit", needed: 1, remaining: 0 },
    { kind: "unavailable", retryAfterMs: 1 },
    { kind: "mismatch" },
    { kind: "in_progress" },
    { kind: "invalid", issues: [{ path: ["contact", 0, "gateway_identifier"], message: "none" }] },
    { kind: "replayed", requestId: "req_1", ids: [], statuses: [], numbers: [] },
  ] as const;
  for (const result of results) {
    const to = edge({ acceptance: { send: async () => result as never } });
    await post(to, { contact: [mail], attachments: [text] });
    assert.equal(to.staged.size, 0, result.kind);
  }
  const throwing = edge({
    acceptance: {
      send: async () => {
        throw new Error("a bug");
      },
    },
  });
  assert.equal((await post(throwing, { contact: [mail], attachments: [text] })).status, 500);
  assert.equal(throwing.staged.size, 0);
});

test("a key in the body is found there", async () => {
  const to = edge();
  const headers = { "content-type": "application/json" };
  assert.equal(
    (await post(to, { api_key: key, contact: [mail], attachments: [text] }, { headers })).status,
    200,
  );
  assert.equal((await post(to, { contact: [mail] }, { headers })).status, 403);
});
