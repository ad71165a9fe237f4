// What is read of the app's bodies, and the bodies that it can decode.

import assert from "node:assert/strict";
import { test } from "node:test";
import { androidSettings } from "#gateways/sms/android/android.ts";
import {
  appVersion,
  isAtLeast,
  readDescription,
  readEvent,
  readReports,
  reportsTwice,
  wireItem,
} from "#phones/wire.ts";

test("an item has what every version of the app needs, and dates with three digits", () => {
  const item = {
    message_id: "msg_01",
    gateway_id: "gw_1",
    transmission: 2,
    body: "Hi",
    recipient: "+4915112345678",
    valid_until: 1_795_162_503_000,
    handed_at: 1_795_162_503_120,
  };
  const settings = androidSettings.parse({});
  assert.deepEqual(wireItem(item, settings), {
    id: "msg_01.2",
    textMessage: { text: "Hi" },
    message: "Hi",
    phoneNumbers: ["+4915112345678"],
    withDeliveryReport: true,
    validUntil: "2026-11-20T08:15:03.000Z",
    priority: 0,
    state: "Pending",
    createdAt: "2026-11-20T08:15:03.120Z",
  });
  assert.deepEqual(wireItem(item, undefined), wireItem(item, settings), "without settings: as by default");
  assert.equal(wireItem(item, { ...settings, sim: 2 }).simNumber, 2);
  assert.equal(wireItem(item, { ...settings, delivery_reports: false }).withDeliveryReport, false);
});

test("reports are read one by one, with any dates", () => {
  const body = [
    {
      id: "msg_01.3",
      state: "Sent",
      recipients: [{ phoneNumber: "+4915112345678", state: "Failed", error: "TTL expired" }],
      states: { Pending: "2026-11-20T09:15:04.010+-5:00" },
    },
    { id: "msg_02", state: "Delivered", recipients: [] },
    { id: "of another server", state: "Sent" },
    "no report",
  ];
  const read = readReports(body);
  assert.equal(read?.unread, 2);
  assert.deepEqual(
    read?.reports.map(({ messageId, transmission, state, failure }) => [
      messageId,
      transmission,
      state,
      failure?.kind,
    ]),
    [
      ["msg_01", 3, "Failed", "expired"],
      ["msg_02", 1, "Delivered", undefined],
    ],
  );
  assert.equal(readReports({}), null);
});

test("a device describes itself as far as its version can", () => {
  const full = readDescription({
    name: "Google/husky",
    pushToken: "fcm",
    simCards: [{ slotIndex: 0, simNumber: 1, iccid: "***4417" }, "odd"],
    publicKey: "of a later version",
  });
  assert.deepEqual(full, {
    id: null,
    name: "Google/husky",
    usesPush: true,
    sims: [{ number: 1, phoneNumber: null, carrier: null, iccid: "***4417" }],
  });
  assert.deepEqual(readDescription({ id: "gw_1" }), { id: "gw_1", name: null, usesPush: false, sims: null });
  assert.equal(readDescription([]), null);
});

test("a received message is the same one when the app reads its inbox again", () => {
  const payload = {
    messageId: "5d0e1b7c",
    phoneNumber: "+4915112345678",
    message: "STOP",
    receivedAt: "2026-11-20T09:15:02.000+01:00",
  };
  const event = (id: string, more: object = {}) => {
    const read = readEvent({
      id,
      webhookId: "w",
      event: "sms:received",
      deviceId: "gw_1",
      payload: { ...payload, ...more },
    });
    assert.equal(read?.kind, "message");
    return read.kind === "message" ? read : null;
  };
  assert.equal(event("a")?.identity, event("b")?.identity);
  assert.notEqual(event("a")?.identity, event("a", { message: "START" })?.identity);
  assert.equal(event("a", { sender: "12345" })?.sender, "12345");
  assert.equal(event("a", { messageId: null })?.identity, "a");
  assert.equal(event("a")?.receivedAt, Date.UTC(2026, 10, 20, 8, 15, 2));
  assert.equal(event("a", { receivedAt: "yesterday" })?.receivedAt, null);
  assert.equal(event("a", { receivedAt: "-000001-01-01T00:00:00Z" })?.receivedAt, null);
  assert.equal(readEvent({ id: "a", event: "sms:received", deviceId: "x", payload: {} }), null);
});

test("versions 1.66 may report a received message twice", () => {
  const versions = ["1.65.9", "1.66.0", "1.66.1", "1.66.9", "1.67.0", "1.70.3", "unreadable", null];
  assert.deepEqual(versions.filter(reportsTwice), ["1.66.0", "1.66.1", "1.66.9"]);
});

test("versions are compared by their numbers", () => {
  assert.equal(appVersion("me.capcom.smsgateway/1.70.3"), "1.70.3");
  assert.equal(appVersion("okhttp/4.10.0"), null);
  assert.equal(isAtLeast("1.70.3", [1, 70, 3]), true);
  assert.equal(isAtLeast("1.9.0", [1, 53, 1]), false);
  assert.equal(isAtLeast("2.0", [1, 53, 1]), true);
});
