// Bodies by the thousand: structured ones, mutated ones, plain bytes. For every body, the answer has one of
// the interface's shapes, nothing is a 5xx, nothing is left unhandled, and a success is a send without faults.
// Runs in a process of its own: it asserts that no promise of the process was left unhandled.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { problemReply, refusalReply, sendReply, validationReply } from "#contract/replies.ts";
import { ask, contact, type Edge, edge, key, type Sent } from "./edge.ts";

/** From the environment, to repeat a failure; else new each time, and printed. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`FUZZ_SEED=${seed}`);

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

function judge(to: Edge, { status, json, headers }: Sent): void {
  assert.match(String(headers["x-request-id"]), /^req_/);
  const sends = to.accepted.splice(0);
  if (status === 200) {
    assert.equal(sends.length, 1);
    const { contacts, issues } = sends[0]!.send;
    assert.deepEqual(issues, []);
    const reply = sendReply.parse(json);
    assert.deepEqual(reply, json);
    assert.deepEqual(
      reply.data.contact.map(({ number }) => number),
      contacts.map(({ number }) => number),
    );
    for (const each of contacts) {
      assert.ok(each.number && each.message, "a contact without number or message was accepted");
      assert.ok(each.message.isWellFormed() && !each.message.includes("\0"));
      assert.ok(each.gateway_identifier !== undefined && each.schedule_at !== undefined);
    }
    return;
  }
  if (status === 422) {
    assert.deepEqual(validationReply.parse(json), json);
    assert.ok(Object.keys((json as { errors: object }).errors).length > 0);
  } else if (status === 403) assert.deepEqual(refusalReply.parse(json), json);
  else {
    assert.ok([400, 413, 415].includes(status), `status ${status}`);
    assert.deepEqual(problemReply.parse(json), json);
  }
  // Asked or not, acceptance was shown the faults, or the send had no contact to show.
  for (const { send } of sends) assert.ok(send.contacts.length > 0);
}

const options = { settings: { maxBodyBytes: 64 * 1024, maxContacts: 20 } };
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "\0",
    "\ud800",
    "+4915123456789",
    "2026-02-30 00:00:00",
    "2026-03-01 09:00:00",
    "Hello",
  ),
);
const value = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.double() },
);
const item = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        number: value,
        message: value,
        gateway_identifier: value,
        schedule_at: value,
        ["__proto__" as string]: value,
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 3, arbitrary: fc.constant(contact) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
const body = fc.oneof(
  { weight: 6, arbitrary: fc.record({ contact: fc.array(item, { maxLength: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ contact: value, api_key: value }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** Bytes swapped, dropped, doubled and put in: valid JSON that went wrong on its way. */
const mutated = fc
  .tuple(
    body,
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(3)), { minLength: 1, maxLength: 6 }),
  )
  .map(([original, changes]) => {
    let bytes = Buffer.from(JSON.stringify(original) ?? "");
    for (const [position, byte, kind] of changes) {
      const at = position % (bytes.length + 1);
      const middle = [
        [byte],
        [],
        [...bytes.subarray(at, at + 8), ...bytes.subarray(at, at + 8)],
        [byte, byte],
      ][kind]!;
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(at + 1)]);
    }
    return bytes;
  });

const name = fc.oneof(
  fc.constantFrom(
    "contact",
    "contact[0][number]",
    "contact[0][message]",
    "contact[1][number]",
    "contact[][message]",
    "contact[x]",
    "contact[999999999][number]",
    "contact[0",
    "__proto__[x]",
    "api_key",
  ),
  fc.string(),
);
const pairs = fc.array(fc.tuple(name, text), { maxLength: 8 });
const form = pairs.map((fields) =>
  fields.map(([key_, value_]) => `${encodeURI(key_.toWellFormed())}=${value_}`).join("&"),
);
const multipart = fc
  .tuple(pairs, fc.constantFrom("--XX--", "--XX", "", "\r\n--XX--"))
  .map(([fields, end]) => {
    const parts = fields.map(
      ([name_, value_]) => `--XX\r\nContent-Disposition: form-data; name="${name_}"\r\n\r\n${value_}\r\n`,
    );
    return parts.join("") + end;
  });

const kinds: [name: string, type: string, runs: number, bodies: fc.Arbitrary<string | Buffer>][] = [
  ["JSON values", "application/json", 3_500, body.map((drawn) => JSON.stringify(drawn) ?? "")],
  ["mutated JSON", "application/json", 3_500, mutated],
  ["forms", "application/x-www-form-urlencoded", 1_500, form],
  ["multipart", "multipart/form-data; boundary=XX", 1_500, multipart],
  [
    "plain bytes",
    "application/json",
    500,
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  ],
];
for (const [kind, type, runs, bodies] of kinds) {
  test(`${runs} × ${kind}`, async () => {
    const to = edge(options);
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(bodies, fc.boolean(), async (payload, withKey) => {
        const headers: Record<string, string> = { "content-type": type };
        // Mostly with the key: without one, all that can be learnt is that it is missing.
        if (withKey || payload.length % 4 > 0) headers["api-key"] = key;
        const answer = await ask(to, { headers, body: payload });
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        judge(to, answer);
      }),
      { numRuns: runs, seed },
    );
    assert.deepEqual(to.log.lines(), []);
    assert.ok(seen.size > 1, "the bodies all led to the same answer");
    console.log(kind, Object.fromEntries(seen));
  });
}

const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});

test("1000 × headers", async () => {
  const to = edge(options);
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        {
          "content-type": fc.oneof(
            headerValue,
            fc.constantFrom("application/json", "multipart/form-data; boundary=", "a/b"),
          ),
          "content-encoding": fc.constantFrom("gzip", "identity", "", "br"),
          "api-key": fc.oneof(headerValue, fc.constant(key)),
          accept: headerValue,
          authorization: headerValue,
        },
        { requiredKeys: [] },
      ),
      fc.webQueryParameters(),
      async (headers, query) => {
        judge(
          to,
          await ask(to, {
            url: `/api/sms/send?${query}`,
            headers,
            body: JSON.stringify({ contact: [contact] }),
          }),
        );
      },
    ),
    { numRuns: 1_000, seed },
  );
  assert.deepEqual(to.log.lines(), []);
});

test("nothing was left unhandled, and no prototype was changed", () => {
  assert.deepEqual(unhandled, []);
  assert.deepEqual(Object.keys(Object.prototype), []);
});
