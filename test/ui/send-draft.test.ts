// A send before it is one: the draft, the request that it becomes, its length, its faults, its preview, and the same as code.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { sentences } from "#contract/wording.ts";
import { type Draft, emptyDraft, recipientsOf, repeatedIn, requestOf } from "#ui/send/draft.ts";
import { faultOf, fileFault, recipientFault } from "#ui/send/faults.ts";
import { lengthOf } from "#ui/send/length.ts";
import { fatesOf } from "#ui/send/preview.ts";
import { languages, publicPath, snippetOf } from "#ui/send/snippets.ts";
import { faultHere, faultSentences } from "#ui/words/faults.ts";

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
  const quoted = '\uFEFF"+4915123456789","+15550000001"\r\n" ada@example.com "\t""\r\n"a b"@example.com';
  const plain = ["+4915123456789", "+15550000001", "ada@example.com", '"a b"@example.com'];
  assert.deepEqual(recipientsOf(quoted), plain);
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

test("a fault has the words of its field, never the path in the API", () => {
  const error = {
    errors: {
      "contact.0.message": [sentences.required(["contact", 0, "message"])],
      "contact.1.message": [sentences.required(["contact", 1, "message"])],
      "contact.1.number": [sentences.phone(["contact", 1, "number"])],
      "settings.success.path": ["is not a path"],
      reply_to: [sentences.selected(["reply_to"])],
    },
  };
  assert.equal(faultOf(error, "message"), "This field is required.");
  assert.equal(faultHere("Must be a URL", "Base URL"), "Base URL must be a URL");
  assert.equal(recipientFault(error, ["+1", "+x"]), "+x: must be a valid phone number.");
  assert.deepEqual(faultSentences(error.errors), [
    "The message field is required.",
    "The number field must be a valid phone number.",
    "Success path is not a path",
    "The selected reply to is invalid.",
  ]);
  for (const sentence of [...Object.values(error.errors).flat()])
    assert.doesNotMatch(faultHere(sentence), /contact|\.\d|_/);
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
    assert.ok(text.includes("http://localhost/api/sms/send") && text.includes("TRUNKLINE_API_KEY"), language);
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

test("recipients to whom the same would happen are one sentence", () => {
  const due_at = "2027-03-28T01:30:00.000Z";
  const sent = {
    recipient: "+1",
    gateway: "one",
    gateway_state: "active" as const,
    due_at,
    moved: null,
    segments: 1,
    encoding: "gsm7" as const,
    cost: 1,
    suppressed: null,
    faults: [],
  };
  const refused = (at: number) => ({
    ...sent,
    faults: [{ path: `contact.${at}.number`, message: `The contact.${at}.number field is no number.` }],
  });
  const contacts = [
    sent,
    refused(1),
    { ...sent, suppressed: "opt_out" as const },
    refused(3),
    { ...sent, due_at: "2027-03-28T01:30:00.001Z" },
    { ...sent, gateway_state: "paused" as const },
  ];
  const shown = (isScheduled: boolean) =>
    fatesOf(contacts, isScheduled).map(({ kind, due_at: at, places, faults }) => [kind, at, places, faults]);
  assert.deepEqual(shown(false), [
    ["sent", null, [0, 4], []],
    ["refused", null, [1, 3], ["The number is no number."]],
    ["suppressed", null, [2], []],
    ["waits", null, [5], []],
  ]);
  assert.deepEqual(shown(true)[0], ["sent", due_at, [0], []]);
  assert.equal(fatesOf([{ ...sent, moved: "past" }], true)[0]?.due_at, null);
  assert.equal(fatesOf([{ ...sent, moved: "hours" }], false)[0]?.due_at, due_at);
});
