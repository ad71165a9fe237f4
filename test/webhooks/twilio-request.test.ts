// Status callbacks: which are posted and where, that they are durable like other deliveries, and whom they reveal what to.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { updateWebhook } from "#configure/webhook.ts";
import { idOfSid } from "#contract/twilio/sids.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { listEndpoints } from "#store/webhooks/endpoints.ts";
import { replaySince } from "#webhooks/replay.ts";
import { ground, type Harness, type HarnessOptions, harness, someEngines } from "../harness.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { callbacks, postForm } from "../http/routes/twilio/twilio-peer.ts";
import { deliveries, listen, posts, says } from "../scenarios/receiver.ts";

const url = "https://app.example.com/twilio?key=secret-part-of-it";
const hour = 3_600_000;

async function opened(options: HarnessOptions = {}) {
  const it = await harness({ respond: () => says(204), ...options });
  const account = await it.account({ country: "DE" });
  await it.gateway({ identifier: "main", default: true });
  await it.gateway({ identifier: "wa", channel: "whatsapp", default: true });
  const send = async (fields: Record<string, string> = {}) => {
    const form = { To: "+4915123450001", Body: "Hi", StatusCallback: url, ...fields };
    const reply = await postForm(it, account.key, form);
    assert.equal(reply.statusCode, 201, reply.body);
    await it.settle();
    return reply.json().sid as string;
  };
  return { it, account, send };
}

const endpointsOf = (it: Harness, accountId: string) => it.system.database.run(listEndpoints, accountId);

/** The statuses that were posted of a message, in the order of its life. */
const statusesOf = (it: Harness, sid: string) =>
  callbacks(it)
    .filter(({ form }) => form.MessageSid === sid)
    .toSorted((a, b) => a.form.MessageStatus!.localeCompare(b.form.MessageStatus!))
    .map(({ form }) => form.MessageStatus);

for (const engine of someEngines(import.meta.filename)) {
  describe(`status callbacks on ${engine}`, () => {
    test("each end of a message has its status and code, by SMS and WhatsApp", async () => {
      const { it, send } = await opened({ engine });
      const ends: [to: string, last: string, code: string | undefined][] = [
        ["+4915123450001", "delivered", undefined],
        ["+4915123450002", "undelivered", "30008"],
        ["+4915123450003", "failed", "30008"],
        ["whatsapp:+4915123450008", "read", undefined],
      ];
      for (const [to, last, code] of ends) {
        const sid = await send({ To: to });
        await it.advance(10_000);
        assert.ok(statusesOf(it, sid).includes(last), `${to}: ${statusesOf(it, sid)}`);
        const end = callbacks(it).find(({ form }) => form.MessageSid === sid && form.MessageStatus === last)!;
        assert.equal(end.form.ErrorCode, code);
        assert.equal(end.form.To, to);
        assert.equal(end.url, url);
      }
      await it.close();
    });

    test("only messages that asked for it are posted, each to its own URL, besides the account's webhooks", async () => {
      const { it, account, send } = await opened({ engine });
      await listen(it, account.id);
      const first = await send();
      const second = await send({ StatusCallback: "https://other.example.com/hook", From: "main" });
      await it.accepted([{ number: "+4915123450001", message: "Hi" }]);
      await it.settle();
      const byUrl = Map.groupBy(callbacks(it), ({ url: asked }) => asked);
      assert.deepEqual([...byUrl.keys()].toSorted(), [url, "https://other.example.com/hook"]);
      assert.ok(byUrl.get(url)?.every(({ form }) => form.MessageSid === first));
      assert.ok(byUrl.get("https://other.example.com/hook")?.every(({ form }) => form.MessageSid === second));
      assert.equal(new Set(posts(it).map(({ data }) => data.id)).size, 3);
      await it.close();
    });

    test("a receiver that is away is tried again, and one URL switches nothing off", async () => {
      let answer: OutboundResult = says(410);
      const { it, account, send } = await opened({ engine, respond: () => answer });
      const sid = await send();
      await it.advance(48 * hour);
      const [endpoint] = await endpointsOf(it, account.id);
      assert.deepEqual([endpoint?.active, endpoint?.failing_since], [1, null]);
      const failed = await deliveries(it, account.id, endpoint!.id);
      assert.ok(failed.every(({ status, attempts }) => status === "failed" && attempts === 8));
      answer = says(204);
      const before = callbacks(it).length;
      const replay = { ...it.system.core, wake: (id: string) => it.system.lanes.wake(id) };
      await replaySince(replay, { accountId: account.id, endpointId: endpoint!.id }, 0);
      await it.settle();
      assert.equal(callbacks(it).length - before, failed.length);
      assert.ok(statusesOf(it, sid).includes("delivered"));
      await it.close();
    });

    test("one endpoint of an account posts them all; it can be switched off, deleted and comes back, and no more", async () => {
      const { it, account, send } = await opened({ engine });
      await Promise.all([send(), send(), send()]);
      const rows = await endpointsOf(it, account.id);
      assert.equal(rows.length, 1);
      const id = rows[0]!.id;
      const headers = bearer(await tokenFor(it));
      const path = `/accounts/${account.id}/webhooks/${id}`;
      const shown = (await manage(it, "GET", path, { headers })).json().data;
      assert.equal(shown.url, "StatusCallback");
      for (const [method, part, body] of [
        ["PATCH", "", { url: "https://app.example.com/" }],
        ["PATCH", "", { events: ["*"] }],
        ["POST", "/rotate-secret", undefined],
        ["POST", "/test", undefined],
      ] as const) {
        const reply = await manage(it, method, path + part, { headers, ...(body ? { body } : {}) });
        assert.equal(reply.statusCode, 409, `${method} ${part} ${reply.body}`);
      }
      const posted = callbacks(it).length;
      const off = await updateWebhook(it.system.core, account.id, id, { active: false });
      assert.equal(off.kind, "saved");
      await send();
      assert.equal(callbacks(it).length, posted);
      assert.equal((await manage(it, "DELETE", path, { headers })).statusCode, 204);
      await send();
      assert.equal(callbacks(it).length, posted + 4);
      await it.close();
    });

    test("neither the log of deliveries nor the database shows the URL's query, the key or its token", async () => {
      const respond = ({ url: asked, headers }: OutboundRequest) =>
        says(500, `${asked} ${headers?.["x-twilio-signature"]}`);
      const { it, account, send } = await opened({ engine, respond });
      await send();
      const [endpoint] = await endpointsOf(it, account.id);
      const log = JSON.stringify([endpoint, await deliveries(it, account.id, endpoint!.id)]);
      assert.match(log, /It answered 500/);
      assert.doesNotMatch(log, /secret-part-of-it/);
      assert.ok(!log.includes(account.key));
      await it.close();
    });

    test("a process that dies after posting posts again, with the same token of idempotency", async () => {
      const own = await ground(engine);
      const clock = movableClock();
      const settings = { heartbeatMs: 5000, takeoverMs: 45_000, pollMs: 60_000 };
      const live = { ground: own, clock, settings, engine };
      const delivered = Promise.withResolvers<void>();
      const respond = () => delivered.promise.then(() => says(204));
      const { it: one, account } = await opened({ ...live, respond, dieAt: "post.after" });
      const reply = await postForm(one, account.key, {
        To: "+4915123450001",
        Body: "Hi",
        StatusCallback: url,
      });
      assert.equal(reply.statusCode, 201);
      // A process that dies while it sends leaves a message whose outcome is unknown, which has no further status.
      const id = idOfSid("SM", reply.json().sid, "msg") ?? "";
      while ((await one.message(id)).status !== "delivered") await setImmediate();
      delivered.resolve();
      await one.settle();
      assert.ok(one.dead());
      await one.kill();
      const two = await harness({ ...live, respond: () => says(204) });
      const tokens = (it: Harness) =>
        it.requests.map(({ headers }) => headers?.["i-twilio-idempotency-token"]);
      const first = tokens(one);
      assert.ok(first.length > 0);
      await two.advance(120_000);
      // Each status once, and again what was posted and not settled.
      assert.equal(new Set([...first, ...tokens(two)]).size, 4);
      assert.ok(first.every((token) => tokens(two).includes(token)));
      await two.close();
      await own.remove();
    });
  });
}
