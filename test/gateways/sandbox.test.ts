// The sandbox: every ending of a message, by recipient.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sandbox } from "#gateways/sandbox.ts";
import { SessionLost, type SessionReport } from "#gateways/session.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { gatewayConformance } from "./conformance.ts";
import {
  hostWith,
  sampleEmail,
  sampleMessage,
  sendOnce,
  stillClock,
  toolsWith,
  wellFormed,
} from "./conformance-samples.ts";

gatewayConformance(sandbox, {
  settings: {},
  refused: [{ settings: { from: "Sample" }, path: "", says: /from/ }],
});

const send = (recipient: string, attempt = 1, tools = toolsWith()) =>
  sendOnce(sandbox, sampleMessage({ recipient, attempt }), {}, tools);

test("it serves every channel, costs nothing and reaches nothing outside", () => {
  assert.deepEqual(sandbox.channels, ["sms", "whatsapp", "email"]);
  assert.equal(sandbox.test, true);
  assert.deepEqual(sandbox.urls({}), []);
  assert.equal(sandbox.receives, false);
});

test("the recipient decides: last four digits of a number, local part of an address", async () => {
  const expected = new Map([
    ["+15550000001", "accepted delivered"],
    ["+15550001234", "accepted delivered"],
    ["112", "accepted delivered"],
    ["+15550000002", "accepted undelivered"],
    ["+15550000003", "rejected"],
    ["+15550000004", "deferred"],
    ["+15550000005", "unknown"],
    ["+15550000006", "accepted delivered"],
    ["+15550000007", "accepted delivered"],
    ["+15550000008", "accepted delivered"],
    ["+15550000062", "accepted delivered"],
    ["delivered@example.test", "accepted delivered"],
    ["bounced@example.test", "accepted bounced"],
    ["Refused@example.test", "rejected"],
    ["deferred@example.test", "deferred"],
    ["unknown@example.test", "unknown"],
    ["slow@example.test", "accepted delivered"],
    ["opened@example.test", "accepted delivered"],
    ["undelivered@example.test", "accepted delivered"],
    ["someone0002@example.test", "accepted delivered"],
    ["read@example.test", "accepted delivered"],
  ]);
  for (const [recipient, kind] of expected) {
    const outcome = await send(recipient);
    wellFormed(outcome, []);
    const receipt = outcome.kind === "accepted" ? ` ${outcome.receipt?.status}` : "";
    assert.equal(outcome.kind + receipt, kind, recipient);
    if (outcome.kind === "accepted") assert.equal(outcome.reference, "sbx_msg_01test");
    if (outcome.kind === "deferred") assert.equal(outcome.gatewayFault, undefined, "the lane must not pause");
  }
});

test("deferred: twice, then delivered", async () => {
  for (const recipient of ["+15550000004", "deferred@example.test"]) {
    const kinds = [];
    for (const attempt of [1, 2, 3, 4]) kinds.push((await send(recipient, attempt)).kind);
    assert.deepEqual(kinds, ["deferred", "deferred", "accepted", "accepted"]);
  }
});

test("slow: five seconds of the clock it is given", async () => {
  const slept: number[] = [];
  const clock = { ...stillClock, sleep: async (ms: number) => void slept.push(ms) };
  await send("+15550000006", 1, toolsWith({ clock }));
  await send("+15550000001", 1, toolsWith({ clock }));
  assert.deepEqual(slept, [5000]);
});

test("slow, and stopped meanwhile: unknown, as with a provider", async () => {
  const stop = new AbortController();
  const clock = { ...stillClock, sleep: async () => stop.abort() };
  const outcome = await send("+15550000006", 1, toolsWith({ clock, signal: stop.signal }));
  assert.equal(outcome.kind, "unknown");
});

test("opened: the session reports it 15 s after the mail was sent, unless it is closed before", async () => {
  const clock = movableClock();
  const closing = new AbortController();
  const reports: SessionReport[] = [];
  const host = hostWith({
    clock,
    signal: closing.signal,
    report: async (report) => void reports.push(report),
  });
  const session = await sandbox.open({}, host);
  const mail = (id: string) =>
    session.send(sampleMessage({ id, recipient: "opened@example.test" }), closing.signal);
  await mail("msg_1");
  await clock.advance(14_999);
  assert.deepEqual(reports, []);
  await mail("msg_2");
  await clock.advance(1);
  const opened = {
    kind: "opened",
    reference: null,
    messageId: "msg_1",
    userAgent: "Sandbox",
    machine: false,
  };
  assert.deepEqual(reports, [{ engagements: [opened] }]);
  closing.abort();
  await clock.advance(60_000);
  assert.equal(reports.length, 1);
});

test("opened: a report that storage never takes breaks nothing", async () => {
  const clock = movableClock();
  const host = hostWith({ clock, report: () => Promise.reject(new SessionLost("closed")) });
  const session = await sandbox.open({}, host);
  const message = sampleMessage({ recipient: "opened@example.test" });
  assert.equal((await session.send(message, new AbortController().signal)).kind, "accepted");
  await clock.advance(60_000);
});

test("a mail to several: refused and put off beside others, put off by all, unknown for all", async () => {
  const mail = async (...recipients: string[]) => {
    const [recipient = "", ...to] = recipients.map((local) => `${local}@example.test`);
    const reports: SessionReport[] = [];
    const host = { ...toolsWith(), report: async (what: SessionReport) => void reports.push(what) };
    const message = { ...sampleEmail({ copies: { to, cc: [], bcc: [] } }), recipient };
    const outcome = await sendOnce(sandbox, message, {}, host);
    const refused =
      "refused" in outcome ? outcome.refused?.map((each) => `${each.recipient} ${each.code}`) : [];
    const receipts = reports.flatMap(
      (what) => what.receipts?.map((each) => `${each.recipient} ${each.status}`) ?? [],
    );
    return [outcome.kind, refused ?? [], receipts];
  };
  assert.deepEqual(await mail("ada", "deferred", "bounced"), [
    "accepted",
    ["deferred@example.test sandbox_deferred"],
    ["ada@example.test delivered", "bounced@example.test bounced"],
  ]);
  assert.deepEqual(await mail("deferred", "refused"), ["deferred", [], []]);
  assert.deepEqual(await mail("refused", "refused"), [
    "rejected",
    Array(2).fill("refused@example.test sandbox_refused"),
    [],
  ]);
  assert.deepEqual(await mail("ada", "unknown", "refused"), ["unknown", [], []]);
});
