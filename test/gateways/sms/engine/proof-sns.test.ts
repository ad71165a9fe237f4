// Messages of Amazon SNS as proofs of callbacks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sns } from "#gateways/sms/engine/proof-sns.ts";
import { toolsWith } from "../../conformance-samples.ts";
import {
  amazon,
  envelope,
  posted,
  signed,
  subscribeUrl,
  subscription,
  topic,
} from "../../email/ses/ses-example.ts";

type Topics = { topics: (string | undefined)[] };
const other = topic.replace("mail-events", "sms-inbound");

async function prove(message: Record<string, string>, topics: Topics["topics"] = [topic]) {
  const proof = sns<Topics>((settings) => settings.topics);
  return await proof(posted(message), { topics }, toolsWith({ outbound: amazon() }));
}

test("a signed notification proves what it carries", async () => {
  const message = signed(envelope({ Message: '{"eventType":"TEXT_SENT"}' }));
  assert.deepEqual(await prove(message), { kind: "proved", document: { eventType: "TEXT_SENT" } });
  assert.deepEqual(await prove(message, [other, topic]), {
    kind: "proved",
    document: { eventType: "TEXT_SENT" },
  });
  assert.equal((await prove({ ...message, Message: "{}" })).kind, "forbidden");
});

test("messages of other topics are refused, and all while no topic is set", async () => {
  assert.equal((await prove(signed(envelope()), [other])).kind, "forbidden");
  assert.equal((await prove(signed(envelope()), [undefined])).kind, "not_configured");
});

test("a subscription of a known topic is confirmed", async () => {
  const proved = await prove(signed(subscription()));
  assert.deepEqual(proved, {
    kind: "answered",
    received: { kind: "received", receipts: [], inbound: [], confirmUrl: subscribeUrl },
  });
});
