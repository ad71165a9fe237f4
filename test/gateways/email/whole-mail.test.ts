// A whole mail through each vendor's API: every part of it is where the vendor expects it, and no bcc is where others see it.

import assert from "node:assert/strict";
import test from "node:test";
import { brevo } from "#gateways/email/brevo/brevo.ts";
import { mailgun } from "#gateways/email/mailgun/mailgun.ts";
import { postmark } from "#gateways/email/postmark/postmark.ts";
import { resend } from "#gateways/email/resend/resend.ts";
import { sendgrid } from "#gateways/email/sendgrid/sendgrid.ts";
import { ses } from "#gateways/email/ses/ses.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { sampleAttachment, sampleEmail, sendOnce, toolsWith } from "../conformance-samples.ts";
import { answer, scriptedOutbound } from "../scripted-outbound.ts";

const from = "news@example.com";
const image = { ...sampleAttachment("logo.png", "image/png", Buffer.from("PNG")), contentId: "logo" };
const whole = sampleEmail({
  html: '<img src="cid:logo">',
  from: "billing@example.com",
  headers: [["X-Order", "4711"]],
  tags: ["welcome", "campaign:spring"],
  copies: { to: ["Bob@example.com"], cc: ["carol@example.com"], bcc: ["dan@example.com"] },
  replyTo: [{ name: "Hélp, Desk", address: "help@example.com" }],
  names: { "bob@example.com": 'Bob "B", Jr', "carol@example.com": "Çarol, C" },
});
const withImage = { ...whole, content: { ...whole.content, attachments: [image] } };

type Json = Record<string, unknown>;
const pairs = [
  ["welcome", "true"],
  ["campaign", "spring"],
] as const;

/** The settings of a gateway of the kind, and what its request has. `body`: JSON, or the text of a form. */
const vendors: [gateway: GatewayAdapter, settings: object, check: (body: Json, text: string) => void][] = [
  [
    brevo,
    { api_key: "xkeysib-0123456789abcdef" },
    (body) => {
      assert.deepEqual(
        [body.sender, body.to, body.cc, body.bcc, body.tags],
        [
          { email: "billing@example.com" },
          [{ email: "ada@example.com" }, { email: "Bob@example.com", name: 'Bob "B", Jr' }],
          [{ email: "carol@example.com", name: "=?UTF-8?B?w4dhcm9sLCBD?=" }],
          [{ email: "dan@example.com" }],
          ["welcome", "campaign:spring"],
        ],
      );
      assert.equal((body.headers as Json)["X-Order"], "4711");
      assert.deepEqual(body.replyTo, { email: "help@example.com", name: "=?UTF-8?B?SMOpbHAsIERlc2s=?=" });
    },
  ],
  [
    mailgun,
    { api_key: "key-0123456789abcdef", domain: "mg.example.com" },
    (_body, text) => {
      const field = (name: string) =>
        [...text.matchAll(new RegExp(`name="${name}"\r\n\r\n([^\r]*)`, "g"))].map(([, value]) => value);
      assert.deepEqual(["from", "to", "cc", "bcc", "h:X-Order", "h:Reply-To", "o:tag"].map(field), [
        ["billing@example.com"],
        ['ada@example.com, "Bob \\"B\\", Jr" <Bob@example.com>'],
        ['"Çarol, C" <carol@example.com>'],
        ["dan@example.com"],
        ["4711"],
        ["=?UTF-8?B?SMOpbHAsIERlc2s=?= <help@example.com>"],
        ["welcome", "campaign:spring"],
      ]);
      assert.match(text, /name="inline"; filename="logo"/);
    },
  ],
  [
    postmark,
    { server_token: "11111111-2222-3333-4444-555555555555" },
    (body) => {
      assert.deepEqual(
        [body.From, body.To, body.Cc, body.Bcc, body.ReplyTo, body.Tag, body.Headers],
        [
          "billing@example.com",
          'ada@example.com, "Bob \\"B\\", Jr" <Bob@example.com>',
          '"Çarol, C" <carol@example.com>',
          "dan@example.com",
          '"Hélp, Desk" <help@example.com>',
          "welcome",
          [{ Name: "X-Order", Value: "4711" }],
        ],
      );
      assert.equal((body.Attachments as Json[])[0]?.ContentID, "cid:logo");
    },
  ],
  [
    resend,
    { api_key: "re_0123456789_abcdefghijk" },
    (body) => {
      assert.deepEqual(
        [body.from, body.to, body.cc, body.bcc, body.reply_to, body.headers],
        [
          "billing@example.com",
          ["ada@example.com", '"Bob \\"B\\", Jr" <Bob@example.com>'],
          ['"Çarol, C" <carol@example.com>'],
          ["dan@example.com"],
          ['"Hélp, Desk" <help@example.com>'],
          { "X-Order": "4711" },
        ],
      );
      assert.deepEqual(
        (body.tags as Json[]).slice(1),
        pairs.map(([name, value]) => ({ name, value })),
      );
      assert.equal((body.attachments as Json[])[0]?.content_id, "logo");
    },
  ],
  [
    sendgrid,
    { api_key: "SG.0123456789" },
    (body) => {
      const [{ to, cc, bcc } = {} as Json, ...rest] = body.personalizations as Json[];
      // A second personalization would be a second mail.
      assert.deepEqual(rest, []);
      assert.deepEqual(
        [body.from, to, cc, bcc, body.reply_to, body.categories, body.headers],
        [
          { email: "billing@example.com" },
          [{ email: "ada@example.com" }, { email: "Bob@example.com", name: 'Bob "B", Jr' }],
          [{ email: "carol@example.com", name: "Çarol, C" }],
          [{ email: "dan@example.com" }],
          { email: "help@example.com", name: "Hélp, Desk" },
          ["welcome", "campaign:spring"],
          { "X-Order": "4711" },
        ],
      );
      const { disposition, content_id } = (body.attachments as Json[])[0] ?? {};
      assert.deepEqual([disposition, content_id], ["inline", "logo"]);
    },
  ],
  [
    ses,
    {
      region: "eu-central-1",
      access_key_id: "AKIAIOSFODNN7EXAMPLE",
      secret_access_key: "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
    },
    (body) => {
      assert.deepEqual(
        [body.FromEmailAddress, body.ReplyToAddresses, body.Destination],
        [
          "billing@example.com",
          ["=?UTF-8?B?SMOpbHAsIERlc2s=?= <help@example.com>"],
          {
            ToAddresses: ["ada@example.com", '"Bob \\"B\\", Jr" <Bob@example.com>'],
            CcAddresses: ["=?UTF-8?B?w4dhcm9sLCBD?= <carol@example.com>"],
            BccAddresses: ["dan@example.com"],
          },
        ],
      );
      assert.deepEqual(
        (body.EmailTags as Json[]).slice(1),
        pairs.map(([Name, Value]) => ({ Name, Value })),
      );
      const simple = (body.Content as Record<string, Json>).Simple ?? {};
      assert.deepEqual(simple.Headers, [{ Name: "X-Order", Value: "4711" }]);
      const { ContentDisposition, ContentId } = (simple.Attachments as Json[])[0] ?? {};
      assert.deepEqual([ContentDisposition, ContentId], ["INLINE", "logo"]);
    },
  ],
];

for (const [gateway, settings, check] of vendors) {
  test(`${gateway.kind}: a whole mail is one request`, async () => {
    const outbound = scriptedOutbound(answer(500));
    const takesImages = gateway.mail?.inlineImages !== false;
    await sendOnce(
      gateway,
      takesImages ? withImage : whole,
      gateway.settings.parse({ from, ...settings }),
      toolsWith({ outbound }),
    );
    assert.equal(outbound.requests.length, 1);
    const text = String(outbound.requests[0]?.body);
    check(text.startsWith("{") ? (JSON.parse(text) as Json) : {}, text);
  });
}

const several = sampleEmail({
  replyTo: [
    { name: "Help", address: "help@example.com" },
    { name: null, address: "desk@example.com" },
  ],
});
const inQuotes = ['"Help" <help@example.com>', "desk@example.com"];
/** Where each vendor has several addresses for replies. Brevo takes one, and acceptance refuses more. */
const replies: Record<string, (body: Json, text: string) => unknown> = {
  mailgun: (_body, text) => /name="h:Reply-To"\r\n\r\n([^\r]*)/.exec(text)?.[1]?.split(", "),
  postmark: ({ ReplyTo }) => String(ReplyTo).split(", "),
  resend: ({ reply_to }) => reply_to,
  sendgrid: ({ reply_to_list: list }) =>
    (list as { email: string; name?: string }[]).map(({ email, name }) =>
      name ? `"${name}" <${email}>` : email,
    ),
  ses: ({ ReplyToAddresses }) => ReplyToAddresses,
};
for (const [gateway, settings] of vendors.filter(([{ mail }]) => mail?.severalReplyTo !== false)) {
  test(`${gateway.kind}: several addresses for replies`, async () => {
    const outbound = scriptedOutbound(answer(500));
    await sendOnce(gateway, several, gateway.settings.parse({ from, ...settings }), toolsWith({ outbound }));
    const text = String(outbound.requests[0]?.body);
    const body = text.startsWith("{") ? (JSON.parse(text) as Json) : {};
    assert.deepEqual(replies[gateway.kind]?.(body, text), inQuotes);
  });
}
