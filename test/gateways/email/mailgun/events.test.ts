// Every kind of Mailgun event, and calls that are not Mailgun's.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mailgun } from "#gateways/email/mailgun/mailgun.ts";
import { now, toolsWith } from "../../conformance-samples.ts";
import { fuzzEvents } from "../event-fuzz.ts";
import { at, event, messageId, settings, signed, signingKey } from "./mailgun-example.ts";

const own = mailgun.settings.parse(settings);
const receive = (callback: ReturnType<typeof signed>, settingsOf: unknown = own) =>
  mailgun.receive(callback, settingsOf, toolsWith());
const names = { reference: messageId, messageId: "msg_01test", at, recipient: "ada@example.com" };
const key = "CCXMjJ7nQi2N3BPigGOdgQ";

async function receiptOf(payload: object) {
  const received = await receive(signed(payload));
  assert.ok(received.kind === "received" && received.engagements === undefined);
  return received.receipts;
}

async function engagementOf(payload: object) {
  const received = await receive(signed(payload));
  assert.ok(received.kind === "received" && received.receipts.length === 0);
  return received.engagements;
}

describe("mailgun: bounces", () => {
  const failed = (reason: string, status: object) =>
    event("failed", { severity: "permanent", reason, "delivery-status": status });

  test("hard and soft, by the type, else by the enhanced code and Mailgun's reason", async () => {
    const cases: [reason: string, status: object, bounce: string | undefined][] = [
      ["bounce", { code: 550, message: "5.1.1 no such user" }, "hard"],
      ["bounce", { code: 550, "enhanced-code": "5.1.1", message: "no such user" }, "hard"],
      ["bounce", { code: 550, message: "mailbox unavailable" }, "hard"],
      ["bounce", { code: 550, "enhanced-code": "5.5.0", message: "mailbox unavailable" }, "hard"],
      ["bounce", { code: 552, "enhanced-code": "5.2.2", message: "over quota" }, "soft"],
      ["bounce", { code: 550, message: "5.7.1 refused by policy" }, undefined],
      ["bounce", { "bounce-type": "hard", "enhanced-code": "5.3.4", message: "too large" }, undefined],
      ["bounce", { code: 450, "enhanced-code": "4.2.1", message: "later" }, "soft"],
      ["bounce", { "bounce-type": "soft", message: "5.1.1 no such user" }, "soft"],
      ["generic", { "bounce-type": "hard" }, "hard"],
      ["generic", { code: 550 }, "soft"],
      ["espblock", { code: 554, message: "blocked" }, undefined],
      ["old", { code: 602, message: "Too old" }, "soft"],
    ];
    for (const [reason, status, bounce] of cases) {
      const [receipt] = await receiptOf(failed(reason, status));
      assert.equal(receipt?.status, "bounced");
      assert.equal(receipt.bounce, bounce, `${reason} ${JSON.stringify(status)}`);
      assert.equal(receipt.code, reason);
    }
  });

  test("the words are the description's, else the answer of the receiving server, on one line", async () => {
    const answer = "5.1.1 The account does\nnot exist";
    const [first] = await receiptOf(failed("bounce", { description: "", message: answer }));
    assert.deepEqual(first, {
      status: "bounced",
      ...names,
      code: "bounce",
      reason: "5.1.1 The account does not exist",
      bounce: "hard",
    });
    const [second] = await receiptOf(failed("bounce", { description: "No MX for x", message: answer }));
    assert.equal(second?.reason, "No MX for x");
  });

  test("a suppressed address was not sent to", async () => {
    const status = { code: 605, message: "", description: "Not delivering to previously bounced address" };
    assert.deepEqual(await receiptOf(failed("suppress-bounce", status)), [
      {
        status: "failed",
        ...names,
        code: "suppress-bounce",
        reason: "Not delivering to previously bounced address",
      },
    ]);
    const [silent] = await receiptOf(failed("suppress-complaint", {}));
    assert.equal(silent?.reason, "The address is on Mailgun's suppression list.");
  });

  test("a temporary failure is a deferral", async () => {
    const status = { code: 450, "retry-seconds": 300, description: "Greylisted", message: "Greylisted" };
    const payload = event("failed", {
      severity: "temporary",
      reason: "greylisted",
      "delivery-status": status,
    });
    assert.deepEqual(await engagementOf(payload), [
      { kind: "deferred", ...names, key, reason: "Greylisted" },
    ]);
  });

  test("a rejected mail was not sent", async () => {
    const [receipt] = await receiptOf(event("rejected", { reject: { reason: "Virus", description: "x" } }));
    assert.deepEqual(receipt, { status: "failed", ...names, code: "rejected", reason: "Virus" });
  });
});

describe("mailgun: engagements", () => {
  const client = { "client-name": "Chrome", "user-agent": "Mozilla/5.0 (X)", bot: "" };

  test("opened, by a person and by a machine", async () => {
    const visit = { key, userAgent: "Mozilla/5.0 (X)", ip: "203.0.113.5" };
    const person = event("opened", { ip: "203.0.113.5", "client-info": client });
    assert.deepEqual(await engagementOf(person), [{ kind: "opened", ...names, ...visit }]);
    for (const bot of ["apple", "gmail", "generic"]) {
      const machine = event("opened", { ip: "203.0.113.5", "client-info": { ...client, bot } });
      assert.deepEqual(await engagementOf(machine), [{ kind: "opened", ...names, ...visit, machine: true }]);
    }
  });

  test("clicked, complained and unsubscribed", async () => {
    const clicked = event("clicked", { url: "https://example.com/a?b=1", ip: "203.0.113.5" });
    assert.deepEqual(await engagementOf(clicked), [
      { kind: "clicked", ...names, key, url: "https://example.com/a?b=1", ip: "203.0.113.5" },
    ]);
    assert.deepEqual(await engagementOf(event("complained")), [{ kind: "complained", ...names, key }]);
    assert.deepEqual(await engagementOf(event("unsubscribed")), [{ kind: "unsubscribed", ...names, key }]);
  });
});

describe("mailgun: what is not Mailgun's", () => {
  const payload = event("delivered");

  test("another key, an old time and a time ahead are forbidden", async () => {
    const day = 86_400;
    const seconds = Math.floor(now / 1000);
    assert.equal((await receive(signed(payload, { key: `${signingKey}x` }))).kind, "forbidden");
    assert.equal((await receive(signed(payload, { seconds: seconds - 4 * day }))).kind, "forbidden");
    assert.equal((await receive(signed(payload, { seconds: seconds + day }))).kind, "forbidden");
    // Mailgun repeats a call for eight hours.
    assert.equal((await receive(signed(payload, { seconds: seconds - 9 * 3600 }))).kind, "received");
  });

  test("a signature of other parts, or of none, is forbidden", async () => {
    const good = JSON.parse(signed(payload).body.toString());
    const broken = [
      { timestamp: String(Number(good.signature.timestamp) + 1) },
      { token: "other" },
      { signature: good.signature.signature.slice(1) },
      { signature: good.signature.signature.toUpperCase() },
      { signature: "" },
      { signature: null },
    ];
    for (const change of broken) {
      const body = { ...good, signature: { ...good.signature, ...change } };
      const callback = { ...signed(payload), body: Buffer.from(JSON.stringify(body)) };
      assert.equal((await receive(callback)).kind, "forbidden", JSON.stringify(change));
    }
    const empty = signed(payload, { token: "" });
    assert.equal((await receive(empty)).kind, "forbidden");
  });
});

test("mailgun: a stranger's call is scanned and not parsed, and one that is signed is parsed within bounds", async (t) => {
  const filled = event("delivered", { extra: Array.from({ length: 100_000 }, () => ({})) });
  const small = signed(event("delivered"));
  const callback = signed(filled);
  const forged = Buffer.from(callback.body.toString().replace(/"signature":"../, '"signature":"00'));
  const parse = t.mock.method(JSON, "parse");
  assert.equal((await receive({ ...callback, body: forged })).kind, "forbidden");
  assert.equal((await receive(callback)).kind, "forbidden");
  assert.equal(parse.mock.callCount(), 0);
  // Before its signature is judged, a call is parsed without a reviver, which costs ten times as much as parsing.
  const revived = () => parse.mock.calls.filter((call) => call.arguments[1] !== undefined).length;
  const wrong = Buffer.from(small.body.toString().replace(/"signature":"../, '"signature":"00'));
  assert.equal((await receive({ ...small, body: wrong })).kind, "forbidden");
  assert.equal(revived(), 0);
  assert.equal((await receive(small)).kind, "received");
  assert.equal(revived(), 1);
});

fuzzEvents(
  mailgun,
  own,
  [
    event("delivered"),
    event("failed", { severity: "permanent", reason: "bounce", "delivery-status": { message: "5.1.1 x" } }),
    event("failed", { severity: "temporary", reason: "generic", "delivery-status": { message: "x" } }),
    event("rejected", { reject: { reason: "x" } }),
    event("clicked", {
      url: "https://a/",
      ip: "203.0.113.5",
      "client-info": { "user-agent": "x", bot: "apple" },
    }),
    event("complained"),
  ],
  signed,
);
