// Where nothing of a mail can have left, it is deferred and never in doubt; and large mails wait for room.

import assert from "node:assert/strict";
import test from "node:test";
import type { ContentKind } from "#contract/messages/content.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { AttachmentReadError, type OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { createTransmitter, healthOf, type LaneGateway } from "#messaging/deliver/transmit.ts";
import { createMetrics } from "#runtime/metrics.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { Database } from "#store/database.ts";
import type { DueMessage } from "#store/messages/attempts.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";

const row: DueMessage = {
  id: "msg_1",
  account_id: "acc_1",
  request_id: "req_1",
  recipient_raw: "Ada@BÜCHER.test",
  recipient: "ada@xn--bcher-kva.test",
  content: "email",
  body: "",
  body_bytes: 0,
  priority: 0,
  due_at: 1000,
  attempts: 0,
  resends: 0,
  first_deferred_at: null,
  segments: 1,
};
const accepted: Outcome = { kind: "accepted", reference: "r" };
const notComposed: Outcome = {
  kind: "deferred",
  code: "not_composed",
  reason: "The message could not be composed; see the log.",
};

interface Options {
  contents?: readonly ContentKind[];
  repeatWithinMs?: number;
  /** What `findFirstAttempt` reads. */
  first?: (() => Promise<number | null>) | undefined;
  resends?: number;
  /** Of the only file; none without it. */
  size?: number;
  body?: string;
  maxBytes?: number;
  run?: () => Promise<never>;
  row?: Partial<DueMessage>;
}

function sending(send: (message: OutgoingMessage) => Promise<Outcome>, options: Options = {}) {
  const { size, body = "Hi", maxBytes, repeatWithinMs } = options;
  const clock = movableClock();
  const log = memoryLog();
  const mail = {
    id: "msg_1",
    account_id: "acc_1",
    request_id: "req_1",
    recipient: row.recipient,
    body,
    subject: "Hello",
    sender_name: null,
    reply_to: null,
    text_part: null,
    extras: null,
  };
  const file = {
    filename: "f",
    contentType: "text/plain",
    sha256: "0",
    content: async () => Buffer.alloc(0),
  };
  const readMail = options.run ?? (async () => mail);
  const readFirst = options.first ?? (() => assert.fail("asked"));
  const run = async ({ name }: { name: string }) =>
    name === "findFirstAttempt" ? await readFirst() : await readMail();
  const deps = {
    database: { run } as never as Database,
    clock,
    log,
    crashPoint: () => {},
    metrics: createMetrics(async () => []),
    mailFiles: { forRequest: async () => (size === undefined ? [] : [{ ...file, size }]) },
    sealer: createSealer("a master key that is only used in tests", seededRandom()),
    publicUrl: null,
  };
  const settings = {
    from: "news@shop.test",
    tracking: { opens: false, clicks: false },
    unsubscribe: false,
  };
  const gateway = {
    id: "gw_1",
    identifier: "main",
    adapter: {
      kind: "test",
      contents: options.contents ?? ["email"],
      mail: { sender: () => assert.fail("asked"), maxBytes },
      ...(repeatWithinMs !== undefined && { idempotencyWindowMs: repeatWithinMs }),
    } as Partial<GatewayAdapter> as GatewayAdapter,
    transport: { send, close: async () => {} },
    email: settings,
  } as Partial<LaneGateway> as LaneGateway;
  const handOver = createTransmitter(deps, gateway);
  const due = { ...row, ...options.row, resends: options.resends ?? 0 };
  return { send: () => handOver(due, 1, new AbortController().signal), log, clock };
}

test("a mail goes to the address that was given, composed", async () => {
  const seen: OutgoingMessage[] = [];
  const it = sending(async (message) => {
    seen.push(message);
    return accepted;
  });
  assert.deepEqual(await it.send(), accepted);
  assert.equal(seen[0]?.recipient, "Ada@xn--bcher-kva.test");
  const content = seen[0]?.content;
  assert.ok(content?.kind === "email");
  assert.equal(content.text, "Hi");
});

test("a text that was not read ahead is read when it is sent, and not sent while it cannot be", async () => {
  const seen: OutgoingMessage[] = [];
  const text = { content: "text", body: null, body_bytes: 20_000 } as const;
  const options = { contents: ["text"], row: text, run: async () => "long" as never } satisfies Options;
  const it = sending(async (message) => {
    seen.push(message);
    return accepted;
  }, options);
  assert.deepEqual(await it.send(), accepted);
  assert.deepEqual(seen[0]?.content, { kind: "text", text: "long" });
  const away = sending(async () => assert.fail("sent"), {
    ...options,
    run: () => Promise.reject(new Error("storage is away")),
  });
  assert.deepEqual(await away.send(), notComposed);
  const gone = sending(async () => assert.fail("sent"), { ...options, run: async () => null as never });
  assert.deepEqual(await gone.send(), notComposed);
});

test("what a gateway's kind cannot send is rejected before it is read, and stays in doubt after an unknown outcome", async () => {
  const never = async () => assert.fail("sent");
  const options: Options = { contents: ["text"], run: () => assert.fail("read") };
  const code = "content_not_supported";
  const reason = "Gateways of kind test cannot send email messages.";
  const first = await sending(never, options).send();
  assert.deepEqual(first, { kind: "rejected", code, reason });
  const repeated = await sending(never, { ...options, resends: 1 }).send();
  assert.deepEqual(repeated, { kind: "unknown", code, reason, uninformative: true });
  for (const outcome of [first, repeated]) assert.equal(healthOf(outcome, "+15550001").health, "answering");
});

test("files that cannot be read: not sent, tried again, and the log says why", async () => {
  const it = sending(async () => {
    throw new AttachmentReadError("An attachment could not be read.", {
      cause: new Error("storage is away"),
    });
  });
  const outcome = await it.send();
  assert.deepEqual(outcome, notComposed);
  assert.equal(healthOf(outcome, "+15550001").health, "answering");
  assert.match(it.log.text(), /storage is away/);
});

test("any other fault inside the adapter leaves the mail in doubt", async () => {
  const it = sending(async () => {
    throw new Error("a bug");
  });
  assert.equal((await it.send()).kind, "unknown");
});

test("a mail that cannot be read, or is gone, is not sent", async () => {
  const never = async () => assert.fail("sent");
  const away = sending(never, { run: () => Promise.reject(new Error("storage is away")) });
  assert.deepEqual(await away.send(), notComposed);
  assert.match(away.log.text(), /storage is away/);
  const gone = sending(never, { run: async () => null as never });
  assert.deepEqual(await gone.send(), notComposed);
});

test("a mail that is larger than the provider takes is rejected before its files are read", async () => {
  const options = { size: 30, body: "x".repeat(60) };
  const never = async () => assert.fail("sent");
  const outcome = await sending(never, { ...options, maxBytes: 99 }).send();
  assert.deepEqual(outcome, {
    kind: "rejected",
    code: "too_large",
    reason: "The mail has 100 bytes, and the gateway takes 99 at most.",
  });
  assert.equal(healthOf(outcome, "+15550001").health, "answering");
  const fits = sending(async () => accepted, { ...options, maxBytes: 100 });
  assert.deepEqual(await fits.send(), accepted);
});

test("large mails are put together and sent only as many at once as there is room for", async () => {
  let inside = 0;
  const leave: (() => void)[] = [];
  const it = sending(
    async () => {
      inside += 1;
      await new Promise<void>((resolve) => leave.push(resolve));
      inside -= 1;
      throw new Error("room is given back all the same");
    },
    // In base64 and four times: 21 million bytes of 67 million.
    { size: 3_900_000 },
  );
  const sent = Array.from({ length: 8 }, () => it.send());
  for (const expected of [3, 3, 3, 3, 3, 3, 2, 1]) {
    await it.clock.settle();
    assert.equal(inside, expected);
    leave.shift()?.();
  }
  await Promise.all(sent);
  assert.equal(inside, 0);
});

test("small mails do not wait for each other", async () => {
  let inside = 0;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const it = sending(async () => {
    inside += 1;
    return await promise;
  });
  const sent = Array.from({ length: 100 }, () => it.send());
  await it.clock.settle();
  assert.equal(inside, 100);
  resolve(accepted);
  await Promise.all(sent);
});

test("what may have been sent is not repeated when the provider would not notice any more", async () => {
  const { now } = movableClock();
  const bounded = { repeatWithinMs: 1000, resends: 1 };
  for (const first of [now() - 1001, null]) {
    const it = sending(async () => assert.fail("sent"), { ...bounded, first: async () => first });
    const outcome = await it.send();
    assert.equal(outcome.kind, "unknown");
    assert.equal(outcome.code, "too_late_to_repeat");
    assert.equal(healthOf(outcome, "+15550001").health, "answering");
  }
  const away = sending(async () => assert.fail("sent"), {
    ...bounded,
    first: () => Promise.reject(new Error("storage is away")),
  });
  assert.deepEqual(await away.send(), notComposed);
});

test("it is repeated in time, by a provider without a bound, and where nothing is in doubt", async () => {
  const { now } = movableClock();
  const sound: Options[] = [
    { repeatWithinMs: 1000, resends: 1, first: async () => now() - 1000 },
    { resends: 1 },
    { repeatWithinMs: 1000 },
  ];
  for (const options of sound)
    assert.deepEqual(await sending(async () => accepted, options).send(), accepted);
});
