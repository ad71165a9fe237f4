// The provider's reports: early, late, twice, out of order, forged.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { OutboundResult } from "#runtime/runtime.ts";
import { type Harness, harness, someEngines } from "../harness.ts";
import { inject } from "../inject.ts";
import { answer, provider, readRequest, report, story, takes } from "./provider.ts";

const contact = { number: "+4915123456789", message: "Hi" };
const receiptWords = {
  ACCEPTD: "sent",
  DELIVRD: "delivered",
  UNDELIV: "undelivered",
  REJECTD: "failed",
} as const;
type Word = keyof typeof receiptWords;

function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((first, i) => orders(list.filter((_, j) => j !== i)).map((rest) => [first, ...rest]));
}

for (const engine of someEngines(import.meta.filename)) {
  describe(`receipts of an http-api gateway on ${engine}`, () => {
    let it: Harness;
    before(async () => {
      it = await harness({ engine, respond: takes });
      await it.account();
      await it.gateway({ identifier: "main", ...provider });
    });
    after(() => it?.close());

    const sent = async (count = 1) => {
      const ids = await it.accepted(Array.from({ length: count }, () => contact));
      await it.settle();
      return ids;
    };

    test("in any order, each twice, they end alike", async () => {
      const all = orders(Object.keys(receiptWords) as Word[]);
      const ids = await sent(all.length);
      for (const [i, order] of all.entries()) {
        for (const state of order) {
          for (let twice = 0; twice < 2; twice++)
            assert.equal((await report(it, "main", { id: `p-${ids[i]}`, state })).statusCode, 200);
        }
        assert.equal((await it.message(ids[i]!)).status, "delivered", order.join(" "));
        const types = await story(it, ids[i]!);
        assert.equal(new Set(types).size, types.length, `nothing twice in ${types.join(" ")}`);
      }
    });

    test("late ones still count: failed becomes delivered days later", async () => {
      const [id] = await sent();
      await report(it, "main", { id: `p-${id}`, state: "REJECTD", err: "500" });
      assert.deepEqual((await it.message(id!)).error, { code: "500", message: "500" });
      await it.advance(3 * 86_400_000);
      await report(it, "main", { id: `p-${id}`, state: "DELIVRD" });
      const record = await it.message(id!);
      assert.equal(record.status, "delivered");
      assert.equal(record.error, null);
      assert.ok(record.delivered_at);
    });

    for (const by of ["reference", "our id", "both"] as const) {
      for (const state of Object.keys(receiptWords) as Word[]) {
        test(`${state} before the provider's own answer, naming ${by}, is not forgotten or undone`, async () => {
          let answerIt: (result: OutboundResult) => void = () => {};
          it.respond(() => new Promise((resolve) => (answerIt = resolve)));
          const [id] = await it.accepted([contact]);
          await it.settle();
          const body = {
            ...(by === "our id" ? {} : { id: `p-${id}` }),
            ...(by === "reference" ? {} : { ref: id }),
            state,
          };
          assert.equal((await report(it, "main", body)).statusCode, 200);
          answerIt(answer(200, { id: `p-${id}` }));
          await it.settle();
          assert.equal((await it.message(id!)).status, receiptWords[state]);
          it.respond(takes);
        });
      }
    }

    test("a wrong token changes nothing", async () => {
      const [id] = await sent();
      const reply = await report(it, "main", { id: `p-${id}`, state: "DELIVRD" }, "wrong-token");
      assert.equal(reply.statusCode, 403);
      assert.equal((await it.message(id!)).status, "sent");
      assert.equal((await report(it, "unknown", {})).statusCode, 404);
    });
  });
}

describe("receipts of a twilio gateway", () => {
  const authToken = "auth-token-0123456789";
  let it: Harness;
  const urls = new Map<string, string>();

  before(async () => {
    it = await harness();
    await it.account();
    await it.gateway({
      identifier: "twilio",
      kind: "twilio",
      default: true,
      settings: { account_sid: `AC${"0a".repeat(16)}`, auth_token: authToken, from: "+15005550006" },
    });
    it.respond((request) => {
      const form = new URLSearchParams(String(request.body));
      const sid = `SM${String(urls.size).padStart(32, "0")}`;
      urls.set(sid, form.get("StatusCallback")!);
      assert.match(request.headers?.authorization ?? "", /^Basic /);
      return answer(201, { sid, status: "queued" });
    });
  });
  after(() => it?.close());

  /** Twilio's call, signed as its documentation says; `token` is what it signs with. */
  const callBack = (sid: string, fields: Record<string, string>, token = authToken) => {
    const url = urls.get(sid)!;
    const form = { MessageSid: sid, ...fields };
    const text = url + Object.entries(form).sort().flat().join("");
    return inject(it.system.app, {
      method: "POST",
      url: url.slice("https://trunkline.test".length),
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": createHmac("sha1", token).update(text).digest("base64"),
      },
      payload: new URLSearchParams(form).toString(),
    });
  };

  const sent = async () => {
    const [id] = await it.accepted([contact]);
    await it.settle();
    return { id: id!, sid: [...urls.keys()].at(-1)! };
  };

  test("signed ones move the message, in any order", async () => {
    const { id, sid } = await sent();
    assert.equal((await it.message(id)).provider_reference, sid);
    for (const MessageStatus of ["delivered", "sent", "queued", "delivered"])
      assert.equal((await callBack(sid, { MessageStatus })).statusCode, 200);
    assert.equal((await it.message(id)).status, "delivered");
  });

  test("an error code becomes words", async () => {
    const { id, sid } = await sent();
    await callBack(sid, { MessageStatus: "undelivered", ErrorCode: "30003" });
    assert.deepEqual((await it.message(id)).error, {
      code: "30003",
      message: "The phone is switched off or out of reach.",
    });
  });

  test("one signed with another token, or not at all, changes nothing", async () => {
    const { id, sid } = await sent();
    assert.equal((await callBack(sid, { MessageStatus: "delivered" }, "another-token")).statusCode, 403);
    const unsigned = await inject(it.system.app, {
      method: "POST",
      url: "/callbacks/twilio",
      payload: `MessageSid=${sid}&MessageStatus=delivered`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(unsigned.statusCode, 403);
    assert.equal((await it.message(id)).status, "sent");
  });

  test("the answer that was lost is settled by the callback, which carries our id", async () => {
    it.respond((request) => {
      const form = new URLSearchParams(String(request.body));
      urls.set("SMlost", form.get("StatusCallback")!);
      return { kind: "no_answer", reason: "reset" };
    });
    const [id] = await it.accepted([contact]);
    await it.settle();
    assert.equal((await it.message(id!)).status, "unknown");
    await callBack("SMlost", { MessageStatus: "delivered" });
    const record = await it.message(id!);
    assert.deepEqual([record.status, record.provider_reference], ["delivered", "SMlost"]);
  });
});

test("the provider is given the recipient in E.164, the text and our id, and nothing else of ours", async () => {
  const it = await harness({ respond: takes });
  await it.account({ country: "DE" });
  await it.gateway({ identifier: "main", ...provider });
  const [id] = await it.accepted([{ number: "0151 23456789", message: 'Say "hi" {{to}} \\ 🎉' }]);
  await it.settle();
  assert.deepEqual(readRequest(it.requests[0]!), { id, to: "+4915123456789", text: 'Say "hi" {{to}} \\ 🎉' });
  await it.close();
});
