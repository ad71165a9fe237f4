// A request with faults: every fault is reported, nothing of it is stored.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { inject } from "../inject.ts";
import { stored } from "./provider.ts";

const good = { number: "+15550000001", message: "Hi" };
let it: Harness;

before(async () => {
  it = await harness();
  await it.account({ country: null, plan: { name: "basic", credit: { sms: 100 } } });
  await it.gateway({ identifier: "box", default: true });
  await it.accepted([good, good]);
});
after(() => it?.close());
afterEach(async () => {
  assert.equal(await stored(it), 2, "something of a refused request was stored");
});

async function refused(body: object): Promise<Record<string, string[]>> {
  const reply = await it.post("/api/sms/send", body);
  assert.equal(reply.statusCode, 422, reply.body);
  const { success, message, errors, ...rest } = reply.json();
  assert.deepEqual([success, rest], [false, {}]);
  // What was most likely meant may follow: test/http/routes/messages/hints.test.ts.
  assert.match(message, /^Validation failed\./);
  return errors;
}

test("no contact, an empty list, null", async () => {
  for (const body of [{}, { contact: [] }, { contact: null }, { contact: "" }]) {
    assert.deepEqual(await refused(body), { contact: ["The contact field is required."] });
  }
});

test("contact that is no list", async () => {
  for (const contact of ["text", { number: "1" }, 7, true]) {
    assert.deepEqual(await refused({ contact }), { contact: ["The contact field must be an array."] });
  }
});

test("missing and empty fields of any contact", async () => {
  for (const item of [
    {},
    { number: null, message: null },
    { number: " ", message: "\n" },
    "no object",
    5,
    null,
  ]) {
    assert.deepEqual(await refused({ contact: [good, item] }), {
      "contact.1.number": ["The contact.1.number field is required."],
      "contact.1.message": ["The contact.1.message field is required."],
    });
  }
});

test("values of the wrong type", async () => {
  assert.deepEqual(
    await refused({
      contact: [{ number: true, message: { a: 1 }, schedule_at: [1], gateway_identifier: false }],
    }),
    {
      "contact.0.number": ["The contact.0.number field must be a string."],
      "contact.0.message": ["The contact.0.message field must be a string."],
      "contact.0.schedule_at": ["The contact.0.schedule_at field must be a string."],
      "contact.0.gateway_identifier": ["The contact.0.gateway_identifier field must be a string."],
    },
  );
});

test("one bad contact among good ones refuses all, and the faults of all are reported at once", async () => {
  const errors = await refused({
    contact: [
      good,
      { ...good, number: "0151 23456789" },
      { ...good, schedule_at: "2026-02-30 10:00:00" },
      { ...good, gateway_identifier: "unknown" },
      { ...good, message: "" },
    ],
  });
  assert.deepEqual(errors, {
    "contact.1.number": ["The contact.1.number field must be a valid phone number."],
    "contact.2.schedule_at": ["The contact.2.schedule_at field must match the format Y-m-d H:i:s."],
    "contact.3.gateway_identifier": ["The selected contact.3.gateway_identifier is invalid."],
    "contact.4.message": ["The contact.4.message field is required."],
  });
});

test("malformed schedule_at", async () => {
  for (const schedule_at of [
    "tomorrow",
    "2026-01-02",
    "2026-01-02T10:00:00",
    "2026-01-02 10:00",
    "2026-01-02 24:00:00",
    "2026-13-01 00:00:00",
  ]) {
    assert.deepEqual(await refused({ contact: [{ ...good, schedule_at }] }), {
      "contact.0.schedule_at": ["The contact.0.schedule_at field must match the format Y-m-d H:i:s."],
    });
  }
});

test("the limits of length and number; lengths count code points", async () => {
  const tooLong = "🎉".repeat(65_537);
  assert.deepEqual(await refused({ contact: [{ ...good, message: tooLong }] }), {
    "contact.0.message": ["The contact.0.message field must not be greater than 65536 characters."],
  });
  assert.deepEqual(await refused({ contact: Array.from({ length: 10_001 }, () => good) }), {
    contact: ["The contact field must not have more than 10000 items."],
  });
});

test("a body that is no JSON, of another type or too deep stores nothing either", async () => {
  const { key } = {
    key: (await it.account({ country: null, plan: { name: "basic", credit: { sms: 100 } } })).key,
  };
  const post = (payload: string, type: string) =>
    inject(it.system.app, {
      method: "POST",
      url: "/api/sms/send",
      headers: { "api-key": key, "content-type": type },
      payload,
    });
  const code = async (payload: string, type: string) => {
    const reply = await post(payload, type);
    const { success, message, code } = reply.json();
    assert.equal(success, false);
    assert.equal(typeof message, "string");
    return [reply.statusCode, code];
  };
  assert.deepEqual(await code("{", "application/json"), [400, "malformed_body"]);
  assert.deepEqual(await code(`${"[".repeat(50)}${"]".repeat(50)}`, "application/json"), [
    400,
    "malformed_body",
  ]);
  assert.deepEqual(await code("<a/>", "application/xml"), [415, "unsupported_media_type"]);
});

test("forms with bracket fields, and with JSON text in contact, are read like JSON", async () => {
  const { key } = await it.account({ name: "forms" });
  const mine = { id: "", key };
  await it.gateway({ identifier: "forms-box", default: true });
  const form = (fields: Record<string, string>) =>
    inject(it.system.app, {
      method: "POST",
      url: "/api/sms/send",
      headers: { "api-key": mine.key, "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams(fields).toString(),
    });
  const bracketed = await form({ "contact[0][number]": "+15550000001", "contact[0][message]": "Hi" });
  assert.equal(bracketed.statusCode, 200, bracketed.body);
  const json = await form({ contact: JSON.stringify([good]) });
  assert.equal(json.statusCode, 200, json.body);
  const wrong = await form({ "contact[0][number]": "+15550000001" });
  assert.deepEqual(wrong.json().errors, {
    "contact.0.message": ["The contact.0.message field is required."],
  });
});
