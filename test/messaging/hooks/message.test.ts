// What a template becomes in each channel: values by path, alternatives, lists, escaping, and the bounds.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { maxTemplateLength, parseTemplate } from "#contract/hooks/template.ts";
import type { Channel } from "#contract/messages/channel.ts";
import { isHtml } from "#messaging/email/html-text.ts";
import { hookTexts } from "#messaging/hooks/message.ts";

const alerts = [
  { status: "firing", labels: { alertname: "A", "a.b/c": 1 }, tags: ["x", 2, true] },
  { labels: { alertname: "B" } },
];
const body = {
  status: "mixed",
  alerts,
  n: 0,
  no: false,
  nil: null,
  empty: "",
  list: ["p", "q"],
  deep: [[1]],
};

/** The text of a message. `missing` null: the values that are missing. */
function texts(
  message: string,
  from: unknown,
  more: { channel?: Channel; missing?: string; subject?: string } = {},
) {
  const { channel = "sms", missing = "?", subject = "s" } = more;
  const hook = { preset: null, channel, to: [], gateway_identifier: null, subject, message, missing };
  return hookTexts(hook, from);
}

const rows: [template: string, text: string, missing?: string[]][] = [
  ["{{alerts[0].labels.alertname}} {{ alerts[1].labels.alertname }}", "A B"],
  ['{{alerts[0].labels["a.b/c"]}} {{n}} {{no}}', "1 0 false"],
  ["{{alerts.length}} {{alerts[0].tags}}", "2 x, 2, true"],
  ["[{{nil}}{{empty}}{{none}}]", "[???]", ["nil", "empty", "none"]],
  ["[{{alerts}}{{deep}}{{alerts[0]}}]", "[???]", ["alerts", "deep", "alerts[0]"]],
  ['{{none | nil | status}} {{none | "-"}} [{{none | ""}}]', "mixed - []"],
  [
    "{{alerts[7].x}}{{alerts.x}}{{status.length}}{{n.toFixed}}",
    "????",
    ["alerts[7].x", "alerts.x", "status.length", "n.toFixed"],
  ],
  ["{{__proto__}}{{constructor.name}}{{alerts.map}}", "???", ["__proto__", "constructor.name", "alerts.map"]],
  ["{{#each alerts}}\n{{status}} {{labels.alertname}}\n{{/each}}\nend", "firing A\nmixed B\nend"],
  ["{{#each list}}<{{this}}>{{/each}}", "<p><q>"],
  ["{{#each none}}x{{/each}}{{#each status}}x{{/each}}.", ".", ["none", "status"]],
  ["a \n\n\n b\r\nc\u0000\u202ed", "a\n\n b\nc d"],
];

for (const [template, text, missing = []] of rows)
  test(`${JSON.stringify(template)} is ${JSON.stringify(text)}`, () =>
    assert.deepEqual(texts(template, body), { subject: null, message: text, missing }));

test("a long list ends with the number of the items that are left out", () => {
  const items = Array.from({ length: 23 }, (_, at) => at);
  const { message } = texts("{{#each items}}{{this}},{{/each}}", { items });
  assert.equal(message, `${items.slice(0, 20).join(",")},+3 …`);
});

test("a message fits its channel, however long its values are", () => {
  const items = Array.from({ length: 1_000 }, () => "😀".repeat(1_000));
  for (const [channel, max] of [
    ["sms", 918],
    ["whatsapp", 4_096],
    ["email", 110_000],
  ] as const) {
    const { message } = texts("{{#each items}}{{this}} {{items[3]}}{{/each}}", { items }, { channel });
    assert.ok(message.length <= max && message.isWellFormed(), `${channel}: ${message.length}`);
    if (channel !== "email") assert.ok(message.endsWith("…"));
  }
});

const markup = `<b onclick="x('&')">`;

test("in a mail of HTML each value is escaped, and its lines stay lines", () => {
  const { message } = texts(
    `<p title="{{a}}">{{a}}</p>{{b}}`,
    { a: markup, b: "1\n2" },
    { channel: "email" },
  );
  const escaped = "&lt;b onclick=&quot;x(&#39;&amp;&#39;)&quot;&gt;";
  assert.equal(message, `<p title="${escaped}">${escaped}</p>1<br>\n2`);
});

test("in a mail of text no value becomes a tag, and what is no tag stays as it is", () => {
  const { message } = texts("It says {{a}}", { a: markup }, { channel: "email" });
  assert.ok(isHtml(message) && message.includes("&lt;b onclick="), message);
  assert.ok(!message.includes("<b "));
  assert.equal(texts("{{a}} & co", { a: "1 < 2" }, { channel: "email" }).message, "1 < 2 & co");
});

test("a subject is one line", () => {
  const subject = "{{a}}: {{b}}";
  const filled = texts("x", { a: "1\r\nBcc: x@y.z", b: "\u2028é\u202e" }, { channel: "email", subject });
  assert.equal(filled.subject, "1 Bcc: x@y.z: é");
});

const pieces = fc.constantFrom(
  ...[
    "{{",
    "}}",
    "#each ",
    "/each",
    "a",
    "b.c",
    "[0]",
    " | ",
    '"',
    "this",
    "\n",
    "<p>",
    "{{a}}",
    "{{#each a}}",
    "{{/each}}",
    "é😀",
  ],
);
const templates = fc.array(pieces, { maxLength: 40 }).map((all) => all.join(""));

test("any template of any body is refused with a reason or filled, and never escapes its mail", () => {
  fc.assert(
    fc.property(templates, fc.jsonValue(), (template, value) => {
      const parsed = parseTemplate(template);
      if (parsed.kind === "faulty") return assert.ok(parsed.fault.length > 10 && parsed.fault.length < 200);
      const of = { a: [value, value], b: { c: value } };
      for (const channel of ["sms", "whatsapp", "email"] as const) {
        const { subject, message } = texts(template, of, { channel, subject: template });
        assert.ok(message.isWellFormed() && !message.includes("\0"));
        if (subject !== null) assert.doesNotMatch(subject, /[\p{Cc}\p{Zl}\p{Zp}]/u);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("the work is bounded by the template and the items, not by the body", () => {
  const path = Array.from({ length: 15 }, () => "a").join(".");
  const placeholder = `{{${Array(8).fill(path).join("|")}}}`;
  const template = `{{#each items}}${placeholder.repeat(Math.floor((maxTemplateLength - 40) / placeholder.length))}{{/each}}`;
  const items = Array.from({ length: 50_000 }, () => ({ a: 1 }));
  let reads = 0;
  const counting = new Proxy(items, {
    get(target, name) {
      reads += 1;
      return Reflect.get(target, name);
    },
  });
  texts(template, { items: counting });
  assert.ok(reads < 200, `${reads} reads of a list of ${items.length}`);
});
