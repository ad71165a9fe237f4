// A session that is opened with the first message: what an idle gateway costs, and what becomes of one that does not open.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { GatewayHost, GatewaySession, SessionReport } from "#gateways/session.ts";
import { openOnDemand } from "#messaging/deliver/on-demand.ts";
import { SharedChildren } from "#runtime/children/shared-children.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import type { Database } from "#store/database.ts";
import { createSealer } from "#store/seal.ts";
import { scriptedOutbound } from "../../gateways/scripted-outbound.ts";
import { seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";

const message: OutgoingMessage = {
  id: "msg_1",
  requestId: "req_1",
  recipient: "+15550000001",
  attempt: 1,
  content: { kind: "text", text: "Hello" },
};

function play(
  open: (host: GatewayHost, number: number) => Promise<Partial<GatewaySession>> = async () => ({}),
) {
  const clock = movableClock();
  const log = memoryLog();
  const hosts: GatewayHost[] = [];
  const reports: SessionReport[] = [];
  const closed: number[] = [];
  const random = seededRandom();
  const transport = openOnDemand(
    {
      database: {} as Database,
      clock,
      random,
      log,
      outbound: scriptedOutbound({ kind: "no_answer", reason: "" }),
      sealer: createSealer("a master key that is only used in tests", random),
      fileBytes: new Semaphore(1024),
      newId: (prefix) => prefix,
      sharedChildren: new SharedChildren(clock),
      storeReport: async (report) => void reports.push(report),
    },
    {
      id: "gw_1",
      identifier: "main",
      fence: 1,
      callbackUrl: "https://trunkline.test/callbacks/main",
      channel: "sms",
      messageUrl: () => null,
      timeoutMs: 7000,
      dkim: [],
    },
    async (host) => {
      const number = hosts.push(host);
      return {
        send: async () => ({ kind: "accepted", reference: `by ${number}` }),
        close: async () => void closed.push(number),
        ...(await open(host, number)),
      };
    },
  );
  const send = () => transport.send(message, new AbortController().signal);
  return { transport, send, clock, log, hosts, reports, closed };
}

test("nothing is opened before the first message, and one session serves all", async () => {
  const it = play();
  await it.clock.advance(3_600_000);
  assert.equal(it.hosts.length, 0);
  const outcomes = await Promise.all([it.send(), it.send(), it.send()]);
  assert.deepEqual(
    new Set(outcomes.map((outcome) => outcome.kind === "accepted" && outcome.reference)),
    new Set(["by 1"]),
  );
  const [host] = it.hosts;
  assert.deepEqual([host?.timeoutMs, host?.callbackUrl], [7000, "https://trunkline.test/callbacks/main"]);
  await it.transport.close();
  assert.deepEqual(it.closed, [1]);
  assert.equal(host?.signal.aborted, true);
});

test("a gateway that sent nothing has nothing to close", async () => {
  const it = play();
  await it.transport.close();
  assert.deepEqual([it.hosts.length, it.closed.length], [0, 0]);
});

test("a session that does not open sends nothing, and the next message opens another", async () => {
  const it = play(async (_, number) => {
    if (number === 1) throw new Error("the key cannot be read");
    return {};
  });
  const [first, second] = await Promise.all([it.send(), it.send()]);
  for (const outcome of [first, second]) {
    assert.ok(outcome.kind === "deferred" && outcome.gatewayFault === "unreachable");
    assert.equal(outcome.code, "not_connected");
  }
  assert.match(it.log.text(), /could not be opened/);
  assert.equal(it.hosts[0]?.signal.aborted, true);
  assert.deepEqual(await it.send(), { kind: "accepted", reference: "by 2" });
});

test("what it reports is stored, and a rejection of its send is the caller's", async () => {
  const it = play(async () => ({ send: () => Promise.reject(new Error("a bug")) }));
  await assert.rejects(it.send(), /a bug/);
  const report = { receipts: [{ reference: "r", status: "delivered" as const }] };
  await it.hosts[0]?.report(report);
  assert.deepEqual(it.reports, [report]);
});

test("a session that does not close is given up after 10 s", async () => {
  const it = play(async () => ({ close: () => new Promise(() => {}) }));
  await it.send();
  let closed = false;
  const closing = it.transport.close().then(() => {
    closed = true;
  });
  await it.clock.advance(9_999);
  assert.equal(closed, false);
  await it.clock.advance(1);
  await closing;
  assert.match(it.log.text(), /did not close in time/);
});
