// The overview's items as bodies: every kind has a sentence, and an end has no reason.

import assert from "node:assert/strict";
import test from "node:test";
import { attentionBody, attentionExample } from "#contract/hooks/attention.ts";
import { type AttentionData, attentionKinds } from "#contract/manage/overview.ts";

const item = (kind: AttentionData["kind"]): AttentionData => ({
  kind,
  severity: "error",
  subject: { id: "x_1", name: "main" },
  since: null,
  until: "2030-01-31T09:00:00.000Z",
  reason: "refused",
  count: { n: 1, more: false },
  href: "/",
});

for (const kind of attentionKinds)
  test(`${kind} has a sentence of its own`, () => {
    const begun = attentionBody("acme", item(kind), "begun");
    assert.match(begun.summary, /^[a-z1].* .*[^.]$/);
    assert.equal(begun.reason, "refused");
    const ended = attentionBody("acme", item(kind), "ended");
    assert.deepEqual([ended.summary, ended.reason], [`over: ${begun.summary}`, null]);
    const others = attentionKinds.filter((other) => other !== kind);
    assert.ok(others.every((other) => attentionBody("acme", item(other), "begun").summary !== begun.summary));
  });

test("the example is a body", () => {
  assert.equal(attentionExample.summary, "gateway sms-main is paused");
});
