// What mails lead to, over the real edge: the same image for any token, no open redirect, and no act on a look.

import assert from "node:assert/strict";
import test from "node:test";
import type { HttpCore } from "#http/call.ts";
import { clickToken, maxTargetLength, openToken, unsubscribeToken } from "#messaging/email/tokens.ts";
import { createOpenAndClickTracking } from "#messaging/feedback/opens-and-clicks.ts";
import type { Database } from "#store/database.ts";
import type { IncomingEngagement } from "#store/feedback/engagements.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../../harness.ts";
import { type InjectOptions, inject } from "../../../inject.ts";
import { type Edge, edge, noVisits } from "../../edge.ts";

const sealer = createSealer("a master key that is only used in tests", seededRandom());
const messageId = "msg_01k3j5m8q2x9v7n4c6b0d1f3gh";
const subscription = { messageId, accountId: "acc_1", recipient: "ann@example.com" };

interface Scene extends Edge {
  stored: IncomingEngagement[];
  unsubscribed: object[];
}

/** The edge on real visits whose store is a list. `broken`: it takes nothing. */
function scene(broken = false): Scene {
  const stored: IncomingEngagement[] = [];
  const unsubscribed: object[] = [];
  const database = {
    run: async (operation: { name: string }, input: IncomingEngagement) => {
      if (broken) throw new Error("away");
      if (operation.name === "unsubscribe") {
        unsubscribed.push(input);
        return true;
      }
      stored.push(input);
      return "new";
    },
  } as unknown as Database;
  // The edge makes its own clock, which the visits share.
  let made: HttpCore["openAndClickTracking"] = noVisits;
  const opened = edge({ core: { openAndClickTracking: { ...noVisits, ...forwarding(() => made) } } });
  made = createOpenAndClickTracking({
    database,
    clock: opened.clock,
    log: opened.log,
    sealer,
  });
  return { ...opened, stored, unsubscribed };
}

const forwarding = (to: () => HttpCore["openAndClickTracking"]): HttpCore["openAndClickTracking"] => ({
  open: (...args) => to().open(...args),
  click: (...args) => to().click(...args),
  canUnsubscribe: (...args) => to().canUnsubscribe(...args),
  unsubscribe: (...args) => to().unsubscribe(...args),
  close: () => to().close(),
});

const request = async (it: Scene, options: InjectOptions & { url: string }) => {
  const reply = await inject(it.app, { method: "GET", ...options });
  await it.clock.settle();
  return reply;
};
const person = { "user-agent": "Thunderbird" };

test("the pixel is the same image under the same headers, for every token", async () => {
  const it = scene();
  const good = openToken(sealer, messageId);
  const replies = [];
  for (const token of [good, `${good}x`, "x", "%00", "a/b", "a".repeat(5000)])
    replies.push(await request(it, { url: `/t/o/${token}`, headers: person }));
  const seen = replies.map(({ statusCode, rawPayload, headers }) => {
    const { "x-request-id": _, date: _date, ...rest } = headers;
    return JSON.stringify([statusCode, rawPayload.toString("hex"), rest]);
  });
  assert.equal(new Set(seen).size, 1);
  const [first] = replies;
  assert.equal(first?.statusCode, 200);
  assert.equal(first?.headers["content-type"], "image/gif");
  assert.match(String(first?.headers["cache-control"]), /no-store/);
  assert.equal(first?.headers["set-cookie"], undefined);
  // GIF89a, 1 × 1.
  assert.equal(first?.rawPayload.subarray(0, 10).toString("hex"), "47494638396101000100");
  assert.equal(first?.rawPayload.at(-1), 0x3b);
  assert.equal(Number(first?.headers["content-length"]), first?.rawPayload.length);
  assert.deepEqual(
    it.stored.map((one) => one.messageId),
    [messageId],
  );
});

test("HEAD counts as no opening or click", async () => {
  const it = scene();
  const pixel = await request(it, { method: "HEAD", url: `/t/o/${openToken(sealer, messageId)}` });
  assert.deepEqual([pixel.statusCode, pixel.rawPayload.length], [200, 0]);
  const link = clickToken(sealer, messageId, "https://shop.test/");
  const followed = await request(it, { method: "HEAD", url: `/t/c/${link}` });
  assert.deepEqual([followed.statusCode, followed.headers.location], [302, "https://shop.test/"]);
  assert.deepEqual(it.stored, []);
});

test("machines and those who load ahead are told apart", async () => {
  const it = scene();
  const url = `/t/o/${openToken(sealer, messageId)}`;
  await request(it, { url, headers: person });
  await request(it, { url, headers: { ...person, "sec-purpose": "prefetch" } });
  await request(it, { url, headers: { "user-agent": "GoogleImageProxy" } });
  assert.deepEqual(
    it.stored.map(({ machine }) => machine),
    [false, true, true],
  );
});

test("a link leads to what its token says, long ones too", async () => {
  const it = scene();
  for (const target of [
    "https://shop.test/?a=1&b=2#c",
    `https://shop.test/${"x".repeat(maxTargetLength - 18)}`,
  ]) {
    const reply = await request(it, {
      url: `/t/c/${clickToken(sealer, messageId, target)}`,
      headers: person,
    });
    assert.deepEqual([reply.statusCode, reply.headers.location], [302, target]);
    assert.equal(reply.headers["referrer-policy"], "no-referrer");
    assert.equal(reply.headers["set-cookie"], undefined);
  }
  assert.equal(it.stored.length, 2);
});

test("no open redirect: nothing but a token of ours leads anywhere", async () => {
  const it = scene();
  const good = clickToken(sealer, messageId, "https://shop.test/");
  const evil = Buffer.from("https://evil.test/").toString("base64url");
  const tampered = [
    good.slice(0, 53) + evil,
    good.slice(0, -1),
    `${good}A`,
    `${good}/${evil}`,
    `${good}%0d%0aLocation:%20https://evil.test/`,
    `${good}%00`,
    openToken(sealer, messageId),
    unsubscribeToken(sealer, subscription),
    openToken(sealer, messageId) + evil,
    "https://evil.test/",
    "%2f%2fevil.test",
    evil,
    "1",
  ];
  for (const token of tampered) {
    const reply = await request(it, { url: `/t/c/${token}?u=https://evil.test/`, headers: person });
    assert.equal(reply.statusCode, 404, token);
    assert.equal(reply.headers.location, undefined);
    assert.ok(!reply.body.includes("evil"));
  }
  const queried = await request(it, { url: `/t/c/${good}?u=https://evil.test/`, headers: person });
  assert.equal(queried.headers.location, "https://shop.test/");
  assert.equal(it.stored.length, 1);
});

test("looking at the unsubscribe page does nothing, the button and one click do, in any form", async () => {
  const it = scene();
  const url = `/u/${unsubscribeToken(sealer, subscription)}`;
  for (const method of ["GET", "HEAD"] as const)
    assert.equal((await request(it, { method, url })).statusCode, 200);
  assert.deepEqual(it.unsubscribed, []);
  const posts: InjectOptions[] = [
    {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: "List-Unsubscribe=One-Click",
    },
    {
      headers: { "content-type": "multipart/form-data; boundary=x" },
      payload: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    },
    { headers: { "content-type": "text/plain" }, payload: "List-Unsubscribe=One-Click" },
    {},
  ];
  for (const post of posts) {
    const reply = await request(it, { ...post, method: "POST", url });
    assert.equal(reply.statusCode, 200);
    assert.match(String(reply.headers["content-type"]), /^text\/html/);
    assert.equal(reply.headers["set-cookie"], undefined);
    assert.equal(reply.headers.location, undefined);
  }
  assert.equal(it.unsubscribed.length, posts.length);
  assert.deepEqual(it.unsubscribed[0], { ...subscription, at: it.clock.now() });
  assert.deepEqual(it.stored, []);
});

test("a token that is not valid unsubscribes no recipient, and says so", async () => {
  const it = scene();
  for (const method of ["GET", "POST"] as const) {
    for (const token of ["x", openToken(sealer, messageId), `${unsubscribeToken(sealer, subscription)}A`]) {
      const reply = await request(it, { method, url: `/u/${token}` });
      assert.equal(reply.statusCode, 404);
      assert.match(reply.body, /not valid/);
      assert.match(String(reply.headers["content-security-policy"]), /form-action 'self'/);
    }
  }
  assert.deepEqual(it.unsubscribed, []);
});

test("storage that is away fails no image and no link, but an unsubscribe, which is repeated then", async () => {
  const it = scene(true);
  const pixel = await request(it, { url: `/t/o/${openToken(sealer, messageId)}` });
  assert.equal(pixel.statusCode, 200);
  const link = await request(it, { url: `/t/c/${clickToken(sealer, messageId, "https://shop.test/")}` });
  assert.equal(link.statusCode, 302);
  const out = await request(it, { method: "POST", url: `/u/${unsubscribeToken(sealer, subscription)}` });
  assert.equal(out.statusCode, 500);
});

test("other methods are refused", async () => {
  const it = scene();
  assert.equal((await request(it, { method: "POST", url: "/t/o/x" })).statusCode, 405);
  assert.equal((await request(it, { method: "DELETE", url: "/u/x" })).headers.allow, "GET, HEAD, POST");
});
