// Events as a vendor sends them, with any of their parts gone or replaced: with any content of a verified call, an adapter
// neither throws nor hands on anything that cannot be stored and shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CallbackRequest, Received } from "#gateways/callback.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { cleanReason, seed, toolsWith } from "../conformance-samples.ts";

/** `sign` makes a call of a document, as the vendor would. */
export function fuzzEvents(
  gateway: GatewayAdapter,
  settings: unknown,
  samples: readonly unknown[],
  sign: (document: unknown) => CallbackRequest,
): void {
  test(`${gateway.kind}: events with parts gone or replaced never throw`, async () => {
    const junk = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        true,
        0,
        -1,
        1e308,
        "",
        " ",
        "\u0000",
        "\ud800",
        "x".repeat(5000),
        [],
        {},
      ),
      fc.constantFrom<unknown>(
        "__proto__",
        "constructor",
        "javascript:\r\nx",
        "2026-13-45T99:00:00Z",
        "99999999999",
      ),
      fc.string(),
      fc.jsonValue(),
    );
    const change = fc.record({ at: fc.nat(), value: fc.option(junk, { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...samples),
        fc.array(change, { maxLength: 4 }),
        async (sample, changes) => {
          const document = structuredClone(sample);
          for (const { at, value } of changes) replaceOne(document, at, value);
          wellFormedEvents(await gateway.receive(sign(document), settings, toolsWith()));
        },
      ),
      { numRuns: 1500, seed },
    );
  });
}

/** The value at one of the places of a document; undefined takes it away. */
function replaceOne(document: unknown, at: number, value: unknown): void {
  const places: [object, string][] = [];
  const walk = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [name, below] of Object.entries(part)) {
      places.push([part, name]);
      walk(below);
    }
  };
  walk(document);
  const place = places[at % Math.max(places.length, 1)];
  if (place === undefined) return;
  if (value === undefined) Reflect.deleteProperty(...place);
  else Reflect.set(...place, value);
}

/** What may be stored and shown. */
export function wellFormedEvents(received: Received): void {
  if (received.kind !== "received") {
    assert.equal(received.kind, "malformed");
    cleanReason(received.reason, []);
    return;
  }
  for (const report of [...received.receipts, ...(received.engagements ?? [])]) {
    assert.ok(report.reference !== null || report.messageId !== undefined);
    if (report.reference !== null) assert.match(report.reference, /^[^\u0000-\u001f\u007f]{1,255}$/);
    if (report.messageId !== undefined) assert.match(report.messageId, /^msg_[\w-]{1,60}$/);
    if (report.at !== undefined) assert.ok(Number.isSafeInteger(report.at) && report.at > 0, `${report.at}`);
    if (report.reason !== undefined) cleanReason(report.reason, []);
    for (const value of Object.values(report)) assert.notEqual(value, undefined);
  }
  for (const { key, url, userAgent, ip } of received.engagements ?? []) {
    if (key !== undefined) assert.match(key, /^[\w.:=+/@-]{1,100}$/);
    if (url !== undefined) assert.match(url, /^[^\s\p{Cc}]{1,4096}$/u);
    if (userAgent !== undefined) cleanReason(userAgent.slice(0, 300), []);
    if (ip !== undefined) assert.match(ip, /^[\da-fA-F.:]+$/);
  }
  for (const { code } of received.receipts) if (code !== undefined) assert.match(code, /^[\w.:-]{1,64}$/);
}
