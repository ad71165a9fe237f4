// How connections to a real SMSC are made, kept and ended.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { cert, key } from "../../email/certificate.ts";
import { deliver, inboundOf, openSession, receiptsOf, turn, until } from "./open-session.ts";
import type { SmscPdu, SmscSession } from "./smsc.ts";

test("a wrong password is said, and tried again with care", async (context) => {
  const it = await openSession(context, { settings: { password: "wrong" }, expectBound: false });
  await until(() => it.statuses.length > 0, "refused");
  assert.deepEqual(it.statuses, [
    { kind: "disconnected", reason: "The SMSC refused the bind: 0x0000000E (INVPASWD)." },
  ]);
  const times: number[] = [it.clock.now()];
  for (let binds = 2; binds <= 4; binds += 1) {
    await it.later(() => it.smsc.binds.length === binds, `bind ${binds}`, 250);
    times.push(it.clock.now());
  }
  const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  // 5, 15 and 60 s, of which up to a half is chance.
  for (const [at, minMs] of [3_750, 11_250, 45_000].entries())
    assert.ok((waits[at] ?? 0) >= minMs, `${waits}`);
  assert.ok(!it.log.text().includes("wrong"));
});

test("after ALYBND it waits until the SMSC can have noticed", async (context) => {
  let first = true;
  const it = await openSession(context, {
    expectBound: false,
    settings: { enquire_link_s: 60 },
    smsc: {
      onBind: () => {
        const status = first ? 5 : 0;
        first = false;
        return status;
      },
    },
  });
  await until(() => it.smsc.binds.length === 1, "refused");
  await turn();
  await it.clock.advance(59_000);
  assert.equal(it.smsc.binds.length, 1);
  await it.later(() => it.statuses.at(-1)?.kind === "connected", "connected");
});

test("a peer that is silent is tested, and given up when it does not answer", async (context) => {
  const it = await openSession(context);
  const [first] = it.smsc.bound;
  await it.clock.advance(31_000);
  await turn();
  await it.clock.advance(31_000);
  assert.equal(it.smsc.bound[0], first);
  it.smsc.fallSilent();
  await it.later(() => it.smsc.binds.length === 2, "bound anew");
  assert.match(it.log.text(), /did not answer enquire_link/);
});

test("the SMSC's own requests are answered: enquire_link, unbind, and unknown ones", async (context) => {
  const it = await openSession(context);
  const [session] = it.smsc.bound;
  assert.ok(session);
  const enquired = await new Promise<SmscPdu>((resolve) => session.enquire_link(resolve));
  assert.equal(enquired.command, "enquire_link_resp");
  const nacked = new Promise<SmscPdu>((resolve) => session.on("generic_nack", resolve));
  const unknown = Buffer.alloc(16);
  unknown.writeUInt32BE(16, 0);
  unknown.writeUInt32BE(0x0777, 4);
  unknown.writeUInt32BE(77, 12);
  session.socket.write(unknown);
  assert.equal((await nacked).command_status, 3);
  const unbound = await new Promise<SmscPdu>((resolve) => session.unbind(resolve));
  assert.equal(unbound.command, "unbind_resp");
  await it.later(() => it.smsc.binds.length === 2, "bound anew");
});

test("a PDU that cannot be read is refused alone; an impossible length ends the connection", async (context) => {
  const it = await openSession(context);
  const [session] = it.smsc.bound;
  assert.ok(session);
  const answered = new Promise<SmscPdu>((resolve) => session.on("deliver_sm_resp", resolve));
  const broken = Buffer.alloc(20, 1);
  broken.writeUInt32BE(20, 0);
  broken.writeUInt32BE(5, 4);
  broken.writeUInt32BE(0, 8);
  broken.writeUInt32BE(9, 12);
  session.socket.write(broken);
  assert.equal((await answered).command_status, 2);
  const long = {
    source_addr: "1",
    destination_addr: "2",
    message_payload: "x".repeat(12_000),
    data_coding: 3,
  };
  assert.equal(await deliver(session, long), 0);
  assert.equal(inboundOf(it)[0]?.message.length, 12_000);
  session.socket.write(Buffer.alloc(16, 0xff));
  await it.later(() => it.smsc.binds.length === 2, "bound anew");
  assert.match(it.log.text(), /impossible length/);
});

test("TLS is checked against the authority that the settings name", async (context) => {
  const it = await openSession(context, {
    smsc: { key, cert },
    settings: { tls: { ca: cert }, host: "localhost" },
  });
  assert.equal((await it.send()).kind, "accepted");
  const distrusted = await openSession(context, {
    smsc: { key, cert },
    settings: { tls: true, host: "localhost" },
    expectBound: false,
  });
  await until(() => distrusted.statuses.length > 0, "refused");
  assert.partialDeepStrictEqual(distrusted.statuses[0], { kind: "disconnected" });
  assert.match(JSON.stringify(distrusted.statuses[0]), /No secure connection to localhost/);
});

test("several binds share the messages, a window each, and receipts come on any", async (context) => {
  const it = await openSession(context, {
    settings: { bind: "transmitter+receiver", binds: 2, window: 2 },
    smsc: { onSubmit: () => {} },
  });
  await until(() => it.smsc.bound.length === 4, "all bound");
  assert.deepEqual(it.smsc.binds.map(({ command }) => command).sort(), [
    "bind_receiver",
    "bind_receiver",
    "bind_transmitter",
    "bind_transmitter",
  ]);
  const sockets = new Set<SmscSession>();
  it.smsc.script((_pdu, _answer, session) => void sockets.add(session));
  for (let messages = 0; messages < 6; messages += 1) void it.send(`m${messages}`);
  await until(() => it.smsc.submitted.length === 4, "both windows are full");
  await turn();
  assert.deepEqual([it.smsc.submitted.length, sockets.size], [4, 2]);
  const receivers = it.smsc.bound.filter((session) => !sockets.has(session));
  assert.equal(await deliver(receivers[1], { esm_class: 4, short_message: "id:5 stat:DELIVRD" }), 0);
  assert.equal(receiptsOf(it)[0]?.reference, "5");
});

test("a server that says nothing is no SMSC", async (context) => {
  const it = await openSession(context, { smsc: { onBind: () => null }, expectBound: false });
  await it.later(() => it.statuses.length > 0, "given up");
  assert.deepEqual(it.statuses, [{ kind: "disconnected", reason: "The SMSC did not answer the bind." }]);
  // The peer is still there for others.
  const socket = connect(it.smsc.port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.destroy();
});
