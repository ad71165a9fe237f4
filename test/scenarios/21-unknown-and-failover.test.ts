// An unknown outcome is answered by the account or by a late report, and nothing goes out twice unasked; a gateway in
// trouble hands what it certainly did not send to the next one, if the account wants that.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { type Harness, harness } from "../harness.ts";
import {
  answer,
  asked,
  noAnswer,
  provider,
  providerSettings,
  readRequest,
  report,
  story,
  takes,
} from "./provider.ts";
import { hook, listen, posts, says } from "./receiver.ts";

const contact = { number: "+4915123456789", message: "Hi" };
const refuses = () => answer(401, { message: "Invalid credentials" });
const remaining = async (it: Harness) => (await it.get("/api/account")).json().data.credit.sms.remaining;
const resolve = (it: Harness, id: string, body: object) => it.post(`/api/resolve/sms/${id}`, body);

describe("an unknown outcome", () => {
  async function opened(on_unknown: "hold" | "resend" = "hold", count = 1) {
    const it = await harness({ respond: () => noAnswer });
    await it.account({ plan: { name: "basic", credit: { sms: 10 } } });
    await it.gateway({ identifier: "main", ...provider, on_unknown });
    const ids = await it.accepted(Array.from({ length: count }, () => contact));
    await it.advance(3_600_000);
    for (const id of ids) assert.equal((await it.message(id)).status, "unknown");
    return { it, ids, id: ids[0]! };
  }

  test("send again: it goes out once more, at once, and the account is named for it", async () => {
    const { it, id } = await opened();
    it.respond(takes);
    const reply = await resolve(it, id, { answer: "send_again" });
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.json().data.status, "queued");
    await it.settle();
    const record = await it.message(id);
    assert.deepEqual([record.status, record.attempts, record.error], ["sent", 2, null]);
    assert.deepEqual(await story(it, id), ["queued", "sending", "unknown", "queued", "sending", "sent"]);
    assert.equal(record.events?.[3]?.detail, "Sent again by the account.");
    assert.equal(it.requests.length, 2);
    assert.equal(await remaining(it), 9, "one message, one price");
    await it.close();
  });

  for (const policy of ["hold", "resend"] as const) {
    test(`sent again and in doubt again, it waits for another answer; nothing is repeated by itself (${policy})`, async () => {
      const { it, id } = await opened(policy);
      const before = it.requests.length;
      assert.equal(before, policy === "hold" ? 1 : 2);
      await resolve(it, id, { answer: "send_again" });
      await it.advance(86_400_000);
      assert.equal(it.requests.length, before + 1);
      assert.equal((await it.message(id)).status, "unknown");
      await it.close();
    });

    test(`a late report settles it, before and after the account's answer (${policy})`, async () => {
      const { it, ids } = await opened(policy, 5);
      const before = it.requests.length;
      const cases = [
        { action: null, state: "DELIVRD", status: "delivered" },
        { action: null, state: "UNDELIV", status: "undelivered" },
        { action: null, state: "ACCEPTD", status: "sent" },
        { action: "mark_sent", state: "DELIVRD", status: "delivered" },
        { action: "mark_failed", state: "DELIVRD", status: "delivered" },
      ];
      for (const [i, { action, state, status }] of cases.entries()) {
        const id = ids[i]!;
        if (action !== null) assert.equal((await resolve(it, id, { answer: action })).statusCode, 200);
        await report(it, "main", { id: `late-${i}`, ref: id, state });
        assert.equal((await it.message(id)).status, status, JSON.stringify(cases[i]));
        const refused = await resolve(it, id, { answer: "send_again" });
        assert.deepEqual([refused.statusCode, refused.json().code], [409, "not_unknown"]);
      }
      await it.advance(86_400_000);
      assert.equal(it.requests.length, before, "nothing goes out again");
      await it.close();
    });

    test(`a report that comes before it has left again keeps it from going out twice (${policy})`, async () => {
      const { it, id } = await opened(policy);
      const before = it.requests.length;
      // The lane cannot take it at once: it pauses.
      it.respond(refuses);
      await it.accepted([contact]);
      await it.settle();
      const paused = it.requests.length;
      assert.equal(paused, before + 1);
      await resolve(it, id, { answer: "send_again" });
      assert.equal((await it.message(id)).status, "queued");
      await report(it, "main", { id: "late", ref: id, state: "DELIVRD" });
      it.respond(takes);
      await it.advance(3_600_000);
      const record = await it.message(id);
      assert.deepEqual([record.status, record.attempts], ["delivered", policy === "hold" ? 1 : 2]);
      assert.equal(
        asked(it)
          .slice(before)
          .filter((one) => one.id === id).length,
        0,
      );
      await it.close();
    });
  }

  test("mark sent, mark failed: as said; the credit of what failed comes back, once, with any later report", async () => {
    const { it, id } = await opened();
    const [other = ""] = await it.accepted([contact]);
    await it.advance(3_600_000);
    assert.equal(await remaining(it), 8);
    assert.equal((await resolve(it, id, { answer: "mark_sent" })).json().data.status, "sent");
    assert.equal(await remaining(it), 8);
    const failed = await resolve(it, other, { answer: "mark_failed" });
    assert.deepEqual(failed.json().data.error, {
      code: "marked_failed",
      message: "Marked as failed by the account.",
    });
    assert.equal(await remaining(it), 9);
    assert.equal((await resolve(it, other, { answer: "mark_failed" })).statusCode, 409);
    await report(it, "main", { id: "late", ref: other, state: "DELIVRD" });
    assert.equal((await it.message(other)).status, "delivered");
    assert.equal(await remaining(it), 9);
    await it.close();
  });

  test("what is asked wrongly changes nothing", async () => {
    const { it, id } = await opened();
    const none = await resolve(it, id, {});
    assert.deepEqual(none.json().errors, { answer: ["The answer field is required."] });
    const bad = await resolve(it, id, { answer: "resend" });
    assert.deepEqual(bad.json().errors, { answer: ["The selected answer is invalid."] });
    assert.equal((await resolve(it, "msg_nobody", { answer: "mark_sent" })).statusCode, 404);
    assert.equal((await it.post(`/api/resolve/email/${id}`, { answer: "mark_sent" })).statusCode, 404);
    await it.account({ name: "other" });
    assert.equal((await resolve(it, id, { answer: "mark_sent" })).statusCode, 404);
    await it.close();
  });
});

describe("failover inside a channel", () => {
  const at = (host: string) => ({
    kind: "http-api",
    settings: { ...providerSettings, url: `https://${host}.test/send` },
  });
  const hostOf = ({ url }: OutboundRequest) => new URL(url).hostname.replace(".test", "");
  const through = (it: Harness, id: string) =>
    it.requests.filter((one) => one.url !== hook && readRequest(one).id === id).map(hostOf);

  /** Each gateway's provider answers as the test says. */
  async function opened(input: { channel_failover?: boolean } = { channel_failover: true }) {
    const well = new Map<string, () => OutboundResult>();
    const it = await harness({
      respond: (request) => {
        if (request.url === hook) return says(204);
        return well.get(hostOf(request))?.() ?? takes(request);
      },
    });
    const { id: accountId } = await it.account(input);
    await it.gateway({ identifier: "main", ...at("main"), default: true, pace: { concurrency: 1 } });
    await it.gateway({ identifier: "second", ...at("second") });
    const is = (host: string, respond: (() => OutboundResult) | null) =>
      respond ? well.set(host, respond) : well.delete(host);
    return { it, accountId, is };
  }

  test("what waits on a gateway that refuses leaves by the next one within a second, and says why", async () => {
    const { it, is } = await opened();
    is("main", refuses);
    const ids = await it.accepted(Array.from({ length: 50 }, () => contact));
    await it.advance(1000);
    for (const id of ids) {
      const record = await it.message(id);
      assert.deepEqual([record.status, record.gateway_identifier, record.attempts], ["sent", "second", 1]);
      assert.equal(through(it, id).filter((host) => host === "second").length, 1);
      const details = record.events?.map(({ detail }) => detail ?? "") ?? [];
      const why = /^Moved from main, which is paused \(.*Invalid credentials.*\), to second\.$/;
      assert.equal(details.filter((detail) => why.test(detail)).length, 1);
    }
    // Also what is accepted while it is paused, though acceptance chose the default one.
    const [later = ""] = await it.accepted([contact]);
    await it.advance(1000);
    assert.deepEqual(through(it, later), ["second"]);
    await it.close();
  });

  test("what named its gateway waits for it, and what is scheduled moves when it is due", async () => {
    const { it, is } = await opened();
    is("main", refuses);
    const [named = "", plain = "", scheduled = ""] = await it.accepted([
      { ...contact, gateway_identifier: "main" },
      contact,
      { ...contact, schedule_at: "2026-01-01 00:05:00" },
    ]);
    await it.advance(1000);
    assert.equal((await it.message(plain)).gateway_identifier, "second");
    const waiting = await it.message(scheduled);
    assert.deepEqual([waiting.status, waiting.gateway_identifier], ["scheduled", "main"]);
    await it.advance(300_000);
    // It may have come up as the probe of its own gateway first.
    const due = await it.message(scheduled);
    assert.deepEqual([due.status, due.gateway_identifier], ["sent", "second"]);
    const kept = await it.message(named);
    assert.deepEqual([kept.status, kept.gateway_identifier, kept.attempts], ["queued", "main", 0]);
    assert.ok(through(it, named).every((host) => host === "main"));
    is("main", null);
    await it.advance(600_000);
    assert.equal((await it.message(named)).status, "sent");
    await it.close();
  });

  test("without the account's word everything waits", async () => {
    const { it, is } = await opened({});
    is("main", refuses);
    const ids = await it.accepted([contact, contact]);
    await it.advance(600_000);
    for (const id of ids) assert.ok(through(it, id).every((host) => host === "main"));
    await it.close();
  });

  test("what may have been sent never moves, also not when it is to be sent again", async () => {
    const { it, is } = await opened();
    await it.gateway({ identifier: "main", ...at("main"), on_unknown: "resend", pace: { concurrency: 1 } });
    is("main", () => noAnswer);
    const doubtful = await it.accepted([contact, contact, contact]);
    await it.settle();
    const [later = ""] = await it.accepted([contact]);
    await it.advance(2000);
    assert.equal((await it.message(later)).gateway_identifier, "second", "three doubts have paused it");
    await it.advance(3_600_000);
    for (const id of doubtful) assert.equal((await it.message(id)).status, "unknown");
    await resolve(it, doubtful[0]!, { answer: "send_again" });
    await it.advance(60_000);
    for (const id of doubtful) assert.ok(through(it, id).every((host) => host === "main"));
    await it.close();
  });

  test("a gateway whose messages have all left gets well by the next new one, and is reported", async () => {
    const { it, accountId, is } = await opened();
    await listen(it, accountId, { events: ["gateway.*"] });
    is("main", refuses);
    await it.accepted(Array.from({ length: 5 }, () => contact));
    await it.advance(600_000);
    assert.equal((await it.get("/api/get/sms?status=queued")).json().data.length, 0);
    is("main", null);
    await it.advance(600_000);
    const probe = (await it.accepted([contact]))[0]!;
    await it.settle();
    assert.deepEqual(through(it, probe), ["main"]);
    const [next = ""] = await it.accepted([contact]);
    await it.settle();
    assert.deepEqual(through(it, next), ["main"]);
    const data = { identifier: "main", channel: "sms", kind: "http-api", active: true, default: true };
    const events = posts(it) as unknown as { type: string; data: { reason: string | null } }[];
    assert.deepEqual(
      events.map(({ type }) => type),
      ["gateway.paused", "gateway.resumed"],
      "a longer pause is the same one",
    );
    assert.match(events[0]?.data.reason ?? "", /Invalid credentials/);
    assert.deepEqual(
      events.map(({ data: { reason: _, ...rest } }) => rest),
      [data, data],
    );
    assert.equal(events[1]?.data.reason, null);
    await it.close();
  });

  test("with both in trouble nothing is sent twice or thrown to and fro, and the first that is well takes it all", async () => {
    for (const mended of ["main", "second"] as const) {
      const { it, is } = await opened();
      for (const host of ["main", "second"]) is(host, refuses);
      const ids = await it.accepted(Array.from({ length: 20 }, () => contact));
      await it.advance(900_000);
      let moves = 0;
      for (const id of ids) {
        const record = await it.message(id);
        assert.deepEqual([record.status, record.attempts], ["queued", 0]);
        const moved = record.events?.filter(({ detail }) => detail?.startsWith("Moved ")) ?? [];
        moves += moved.length;
      }
      // Once all to the second, and from then on one at a time, as a probe of what may be well again:
      // pauses that double up to 5 min leave room for eight of them on either side in this quarter of an hour.
      assert.ok(moves <= 20 + 2 * 8, `${moves} moves`);
      is(mended, null);
      await it.advance(600_000);
      for (const id of ids) {
        assert.equal((await it.message(id)).status, "sent");
        assert.equal((await it.message(id)).gateway_identifier, mended);
      }
      await it.close();
    }
  });

  test("a test gateway takes nothing that was meant to be sent, nor the other way round", async () => {
    const it = await harness({ respond: refuses });
    await it.account({ channel_failover: true });
    await it.gateway({ identifier: "main", ...at("main"), default: true });
    await it.gateway({ identifier: "sandbox" });
    const [id = ""] = await it.accepted([contact]);
    await it.advance(600_000);
    const record = await it.message(id);
    assert.deepEqual([record.status, record.gateway_identifier], ["queued", "main"]);
    await it.close();
  });
});
