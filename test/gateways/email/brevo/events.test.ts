// Every kind of Brevo event, alone and in batches.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brevo } from "#gateways/email/brevo/brevo.ts";
import { toolsWith } from "../../conformance-samples.ts";
import { fuzzEvents } from "../event-fuzz.ts";
import { at, callbackToken, called, event, reference, settings } from "./brevo-example.ts";

const own = brevo.settings.parse(settings);
const names = { reference, messageId: "msg_01test", at, recipient: "ada@example.com" };
const receive = (payload: unknown) => brevo.receive(called(payload), own, toolsWith());

async function reports(payload: unknown) {
  const received = await receive(payload);
  assert.ok(received.kind === "received", JSON.stringify(received));
  return { receipts: received.receipts, engagements: received.engagements ?? [] };
}

describe("brevo: events", () => {
  test("bounced, hard and soft", async () => {
    const reason = " RecipientError: 550 5.5.0 mailbox unavailable.";
    for (const bounce of ["hard", "soft"] as const) {
      assert.deepEqual(await reports(event(`${bounce}_bounce`, { reason })), {
        receipts: [
          {
            status: "bounced",
            ...names,
            code: `${bounce}_bounce`,
            reason: "RecipientError: 550 5.5.0 mailbox unavailable.",
            bounce,
          },
        ],
        engagements: [],
      });
    }
  });

  test("not sent: blocked, invalid, error", async () => {
    for (const word of ["blocked", "invalid_email", "error"]) {
      const receipt = { status: "failed", ...names, code: word };
      const reason = "blocked : due to blacklist user";
      assert.deepEqual((await reports(event(word, { reason }))).receipts, [{ ...receipt, reason }]);
      assert.deepEqual((await reports(event(word))).receipts, [receipt]);
    }
  });

  test("deferred, complained, unsubscribed", async () => {
    const kinds = {
      deferred: "deferred",
      spam: "complained",
      complaint: "complained",
      unsubscribed: "unsubscribed",
      unsubscribe: "unsubscribed",
    };
    for (const [word, kind] of Object.entries(kinds)) {
      assert.deepEqual(await reports(event(word, { reason: "451 later" })), {
        receipts: [],
        engagements: [{ kind, ...names, reason: "451 later" }],
      });
    }
  });

  test("opened by a person and by a proxy, and clicked", async () => {
    for (const word of ["opened", "unique_opened"]) {
      assert.deepEqual((await reports(event(word))).engagements, [{ kind: "opened", ...names }]);
    }
    for (const word of ["proxy_open", "unique_proxy_open"]) {
      assert.deepEqual((await reports(event(word))).engagements, [
        { kind: "opened", ...names, machine: true },
      ]);
    }
    const visit = { link: "https://example.com/a", user_agent: "Mozilla/5.0 (X)", ip: "203.0.113.5" };
    assert.deepEqual((await reports(event("click", visit))).engagements, [
      {
        kind: "clicked",
        ...names,
        url: "https://example.com/a",
        userAgent: "Mozilla/5.0 (X)",
        ip: "203.0.113.5",
      },
    ]);
  });

  test("of no concern: what the answer said already, and what is new", async () => {
    for (const word of ["request", "sent", "list_addition", "brand_new"]) {
      assert.deepEqual(await reports(event(word)), { receipts: [], engagements: [] });
    }
  });

  test("times in milliseconds, in seconds, and none", async () => {
    const timeOf = async (time: unknown) =>
      (await reports(event("delivered", { ts_epoch: time }))).receipts[0]?.at;
    assert.equal(await timeOf(at), at);
    assert.equal(await timeOf(1_604_933_654), 1_604_933_654_000);
    for (const wrong of [undefined, null, "soon", -1, 12, 1.5e20])
      assert.equal(await timeOf(wrong), undefined);
  });

  test("the id is the same with and without its brackets", async () => {
    const { receipts } = await reports(event("delivered", { "message-id": reference }));
    assert.equal(receipts[0]?.reference, reference);
  });
});

describe("brevo: batches", () => {
  test("each event counts, in order; those that cannot be read are passed over", async () => {
    const batch = [
      event("request"),
      event("delivered"),
      null,
      { event: "delivered" },
      "text",
      event("opened"),
      event("hard_bounce", { "message-id": "<other@smtp-relay.mailin.fr>", "X-Mailin-custom": "other" }),
    ];
    assert.deepEqual(await reports(batch), {
      receipts: [
        { status: "delivered", ...names },
        {
          status: "bounced",
          reference: "other@smtp-relay.mailin.fr",
          at,
          code: "hard_bounce",
          bounce: "hard",
          recipient: "ada@example.com",
        },
      ],
      engagements: [{ kind: "opened", ...names }],
    });
  });

  test("one in which nothing can be read is malformed", async () => {
    for (const payload of [[], [null], {}, "text", [{ event: "delivered" }]]) {
      assert.equal((await receive(payload)).kind, "malformed", JSON.stringify(payload));
    }
    const unreadable = { ...called({}), body: Buffer.from("event=delivered") };
    assert.equal((await brevo.receive(unreadable, own, toolsWith())).kind, "malformed");
  });
});

test("brevo: the token counts in the query and as the password of Basic too, and no other does", async () => {
  const as = async (query: [string, string][], headers: Record<string, string>) =>
    (
      await brevo.receive(
        { ...called(event("delivered")), query: new URLSearchParams(query), headers },
        own,
        toolsWith(),
      )
    ).kind;
  const basic = Buffer.from(`brevo:${callbackToken}`).toString("base64");
  assert.equal(await as([["token", callbackToken]], {}), "received");
  assert.equal(await as([], { authorization: `Basic ${basic}` }), "received");
  assert.equal(await as([["token", "other"]], {}), "forbidden");
  assert.equal(await as([], { authorization: `Bearer ${settings.api_key}` }), "forbidden");
  assert.equal(await as([], {}), "forbidden");
});

fuzzEvents(
  brevo,
  own,
  [
    event("delivered"),
    event("hard_bounce", { reason: "x" }),
    event("click", { link: "https://a/", user_agent: "x", ip: "203.0.113.5" }),
    [event("proxy_open"), event("blocked", { reason: "x" }), event("deferred")],
  ],
  called,
);
