// The part of the gateway suite about callbacks: only the provider can make them, and nothing in one,
// however odd, breaks the adapter.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CallbackRequest, Received } from "#gateways/callback.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { parseJson } from "#gateways/json-path.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { callbackUrl, cleanReason, seed, toolsWith } from "./conformance-samples.ts";

/** What a provider would send, before it is signed. */
export interface Unsigned {
  method: "GET" | "POST";
  query: [string, string][];
  contentType: string;
  body: Buffer;
}

export interface CallbackCases {
  /** Signs as the provider does. */
  sign(unsigned: Unsigned): CallbackRequest;
  cases: { name: string; unsigned: Partial<Unsigned>; received: Received }[];
  /** Settings in which the secret is missing, as no schema would let through. */
  withoutSecret: (settings: never) => unknown;
  /** Whether the provider's scheme covers these, so that a change to them must be refused. */
  covers: { body: boolean; url: boolean };
  /** A GET, or a call without a body, is read from its query: what proves it stands for the whole call. */
  readsQuery?: boolean;
  /** The same call without its signature, where that is neither in headers nor in the query. */
  strip?(callback: CallbackRequest): CallbackRequest;
  /** What a call without its signature is; default: `forbidden`. */
  unsigned?: "forbidden" | "unavailable";
  /** What the adapter meets when it has to fetch what verifies a callback. */
  outbound?: Outbound;
}

export function callbackChecks(
  gateway: GatewayAdapter,
  callbacks: CallbackCases,
  parsed: unknown,
  secrets: readonly string[],
): void {
  const tools = toolsWith(callbacks.outbound ? { outbound: callbacks.outbound } : {});
  const unsignedKind = callbacks.unsigned ?? "forbidden";
  const unsigned = (change: Partial<Unsigned>): Unsigned => ({
    method: "POST",
    query: [],
    contentType: "application/x-www-form-urlencoded",
    body: Buffer.alloc(0),
    ...change,
  });
  const receive = async (callback: CallbackRequest, settings: unknown = parsed) => {
    const received = await gateway.receive(callback, settings, tools);
    if (received.kind !== "received") cleanReason(received.reason, secrets);
    return received;
  };

  for (const { name, unsigned: callOf, received } of callbacks.cases) {
    test(`callback: ${name}`, async () => {
      const callback = callbacks.sign(unsigned(callOf));
      const bare = callbacks.strip?.(callback) ?? callback;
      assert.deepEqual(await receive(callback), received);
      assert.deepEqual(await receive(callback), received, "the same call again says the same");
      assert.equal(
        (await receive({ ...bare, headers: {}, query: new URLSearchParams(), url: callbackUrl })).kind,
        unsignedKind,
      );
      // `not_taken` where callbacks are a choice that was not made, and so there is nothing to be configured yet.
      const { kind } = await receive(callback, callbacks.withoutSecret(parsed as never));
      assert.ok(kind === "not_configured" || kind === "not_taken", kind);
      if (callbacks.covers.body && callback.method === "POST") {
        const tampered = Buffer.concat([callback.body, Buffer.from("&added=1")]);
        assert.equal((await receive({ ...callback, body: tampered })).kind, "forbidden");
      }
      if (callbacks.covers.url) {
        const elsewhere = callback.url.replace("sms-main", "sms-other");
        assert.equal((await receive({ ...callback, url: elsewhere })).kind, "forbidden");
        const longer = `${callback.url}${callback.url.includes("?") ? "&" : "?"}message=msg_other`;
        assert.equal((await receive({ ...callback, url: longer })).kind, "forbidden");
      }
    });
  }

  test("a genuine call with forged fields in its query says nothing of them, by any method", async () => {
    const all = callbacks.cases.map(({ unsigned: callOf }) => unsigned(callOf));
    const genuine = callbacks.sign(all.find(({ body }) => body.length > 0) ?? unsigned({}));
    for (const fields of all.map(fieldsOf).flatMap(forgeries)) {
      const query = new URLSearchParams([...fields, ...genuine.query]);
      for (const method of ["GET", "POST", "PUT"]) {
        if (callbacks.readsQuery && (method === "GET" || genuine.body.length === 0)) continue;
        const received = await receive({ ...genuine, method, query, url: `${callbackUrl}?${query}` });
        assert.doesNotMatch(JSON.stringify(received), /forged/, `${method} ${query}`);
      }
    }
  });

  test("junk with a right signature never throws and never invents a receipt without a name", async () => {
    const words = fc.constantFrom(
      "MessageSid",
      "MessageStatus",
      "SmsStatus",
      "Body",
      "From",
      "NumMedia",
      "MediaUrl0",
      "id",
      "state",
      "err",
    );
    const values = fc.oneof(
      fc.string(),
      fc.constantFrom("delivered", "DELIVRD", "0", "99", "-1", "\u0000", "x".repeat(400)),
    );
    const pairs = fc.array(fc.tuple(fc.oneof(words, fc.string()), values), { maxLength: 8 });
    const body = fc.oneof(
      pairs.map((list) => Buffer.from(new URLSearchParams(list).toString())),
      pairs.map((list) => Buffer.from(JSON.stringify(Object.fromEntries(list)))),
      fc.json().map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.constant(Buffer.from("[".repeat(50_000))),
    );
    const contentType = fc.constantFrom(
      "application/x-www-form-urlencoded",
      "application/json",
      "",
      "text/plain",
      "multipart/form-data",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET" as const, "POST" as const),
        pairs,
        contentType,
        body,
        async (method, query, type, bytes) => {
          const reserved = new Set(["token", "bodySHA256"]);
          const callback = callbacks.sign({
            method,
            query: query
              .filter(([name]) => !reserved.has(name))
              .map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]),
            contentType: type,
            body: bytes,
          });
          const received = await receive(callback);
          assert.notEqual(
            received.kind,
            "forbidden",
            JSON.stringify([method, query, type, bytes.toString()]),
          );
          if (received.kind !== "received") return;
          for (const report of [...received.receipts, ...(received.engagements ?? [])]) {
            assert.ok(report.reference !== null || report.messageId !== undefined);
            if (report.reference !== null) assert.ok(report.reference.length <= 255);
            if (report.reason !== undefined) cleanReason(report.reason, secrets);
          }
        },
      ),
      { numRuns: 1000, seed },
    );
  });

  test("junk without a right signature is always refused", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.string(),
        fc.uint8Array({ maxLength: 100 }),
        async (header, token, bytes) => {
          fc.pre(!secrets.includes(token));
          const query = new URLSearchParams({ token });
          const received = await receive({
            method: "POST",
            url: `${callbackUrl}?${query}`,
            query,
            headers: { "x-twilio-signature": header, "content-type": "application/json" },
            body: Buffer.from(bytes),
          });
          assert.equal(received.kind, unsignedKind);
        },
      ),
      { numRuns: 500, seed },
    );
  });
}

/** The fields that a call could have in its query instead: those of the query itself, of a form, and of the top of a document. */
function fieldsOf({ query, contentType, body }: Unsigned): [string, string][] {
  const text = body.toString();
  if (!/[/+]json\b/i.test(contentType)) return [...query, ...new URLSearchParams(text)];
  const document: unknown = parseJson(text);
  const first = Array.isArray(document) ? document[0] : document;
  const fields = Object.entries(first ?? {}).filter(([, value]) => typeof value !== "object");
  return [...query, ...fields.map(([name, value]): [string, string] => [name, String(value)])];
}

/** The same fields as often as there are some, each time with another one forged. */
function forgeries(fields: [string, string][]): [string, string][][] {
  return fields.map(([forged]) =>
    fields.map(([name, value]): [string, string] => [name, name === forged ? "forged" : value]),
  );
}
