// The suite that every gateway passes: settings that explain themselves, outcomes that never mistake
// "may have been sent" for "not sent", no secret in a reason, and callbacks that only the provider can make.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { AttachmentReadError, type OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import { type CallbackCases, callbackChecks } from "./conformance-callbacks.ts";
import {
  sampleAttachment,
  sampleEmail,
  sampleMessage,
  seed,
  sendOnce,
  toolsWith,
  wellFormed,
} from "./conformance-samples.ts";
import { judged } from "./judged.ts";
import { answer, scriptedOutbound } from "./scripted-outbound.ts";

export interface WireCase {
  name: string;
  result: OutboundResult;
  outcome: Outcome;
  /** Instead of the suite's settings. */
  settings?: object;
}

export interface RequestCase {
  name: string;
  settings?: object;
  message?: Partial<OutgoingMessage>;
  callbackUrl?: string | null;
  /** To the byte. */
  request: { method: string; url: string; headers: Record<string, string>; body?: string };
}

export interface Conformance {
  /** A complete example, as an operator would write it. */
  settings: Record<string, unknown>;
  refused: { settings: unknown; path: string; says: RegExp }[];
  /** Secrets beside the fields that the schema flags. */
  secrets?: readonly string[];
  /** Gateways that speak HTTP; the others send nothing outside. */
  http?: {
    wire: readonly WireCase[];
    requests: readonly RequestCase[];
    /** Statuses that the settings declare to be definite. */
    definite?: readonly number[];
  };
  callbacks?: CallbackCases;
}

export function gatewayConformance(gateway: GatewayAdapter, suite: Conformance): void {
  const parsed = gateway.settings.parse(suite.settings);
  const secrets = [...flaggedSecrets(gateway, suite.settings), ...(suite.secrets ?? [])];

  describe(`${gateway.kind}: conformance`, () => {
    settingsChecks(gateway, suite);
    if (suite.http) httpChecks(gateway, suite, suite.http, parsed, secrets);
    if (suite.callbacks) callbackChecks(gateway, suite.callbacks, parsed, secrets);
    assert.equal(gateway.receives, suite.callbacks !== undefined);
  });
}

function settingsChecks(gateway: GatewayAdapter, suite: Conformance): void {
  test("the example settings are accepted, also after a second pass", () => {
    const once = gateway.settings.parse(suite.settings);
    assert.deepEqual(gateway.settings.parse(once), once);
    for (const url of gateway.urls(once)) assert.ok(URL.canParse(url), url);
  });

  test("an unknown field is refused by name", () => {
    const result = gateway.settings.safeParse({ ...suite.settings, no_such_field: 1 });
    assert.equal(result.success, false);
    assert.match(result.error.issues[0]?.message ?? "", /no_such_field/);
  });

  test("settings that are no object are refused", () => {
    for (const wrong of [null, [], "text", 1]) assert.equal(gateway.settings.safeParse(wrong).success, false);
  });

  refusals(gateway, suite.refused);

  test("the schema becomes a reference page: every field described", () => {
    const schema = z.toJSONSchema(gateway.settings, { io: "input" }) as JsonSchema;
    assert.equal(schema.additionalProperties, false);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      assert.ok((field.description ?? "").length > 10, `${name} has no description`);
    }
  });
}

/** Settings that are refused on saving, with words at the field that is wrong. */
export function refusals(gateway: GatewayAdapter, cases: Conformance["refused"]): void {
  for (const { settings, path, says } of cases) {
    test(`refused at ${path}: ${JSON.stringify(settings).slice(0, 120)}`, () => {
      const result = gateway.settings.safeParse(settings);
      assert.equal(result.success, false);
      const found = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
      const isRequired = result.error.issues.some(
        (issue) => issue.path.join(".") === path && says.test(issue.message),
      );
      assert.ok(isRequired, found.join("\n"));
    });
  }
}

const awkward = [
  "",
  " ",
  "null",
  "[]",
  "{}",
  "0",
  "true",
  '"text"',
  "<html><body>Sign in</body></html>",
  '{"id":',
  "[".repeat(100_000),
  `{"message":${"[".repeat(9000)}${"]".repeat(9000)}}`,
  "x".repeat(500_000),
  '{"__proto__":{"id":"x"},"constructor":1,"sid":{},"id":[],"code":"x","message":{"a":1},"status":[1]}',
  '{"sid":"","id":"","code":1e400,"message":"\\ud800\\u0000\\u001b[31m","status":null}',
  `{"sid":"${"a".repeat(300)}","messages":[{"id":"nul\\u0000"}],"code":99999999999999999999}`,
];

function httpChecks(
  gateway: GatewayAdapter,
  suite: Conformance,
  http: NonNullable<Conformance["http"]>,
  parsed: unknown,
  secrets: readonly string[],
): void {
  const sample = () => (gateway.contents.includes("email") ? sampleEmail() : sampleMessage());
  const send = (result: OutboundResult, settings: unknown = parsed) =>
    sendOnce(gateway, sample(), settings, toolsWith({ outbound: scriptedOutbound(result) }));

  for (const { name, settings, result, outcome } of http.wire) {
    test(`wire: ${name}`, async () => {
      const own = settings ? gateway.settings.parse({ ...suite.settings, ...settings }) : parsed;
      const actual = await send(result, own);
      assert.deepEqual(judged(actual, result), outcome);
      wellFormed(actual, secrets);
    });
  }

  for (const { name, settings, message: change, callbackUrl: url, request } of http.requests) {
    test(`request: ${name}`, async () => {
      const outbound = scriptedOutbound({ kind: "no_answer", reason: "enough" });
      const own = settings ? gateway.settings.parse({ ...suite.settings, ...settings }) : parsed;
      const signal = new AbortController().signal;
      const tools = toolsWith({
        outbound,
        signal,
        timeoutMs: 1234,
        ...(url === undefined ? {} : { callbackUrl: url }),
      });
      await sendOnce(gateway, { ...sample(), ...change }, own, tools);
      assert.deepEqual(outbound.requests, [{ ...request, timeoutMs: 1234, signal }]);
    });
  }

  if (gateway.contents.includes("email")) {
    test("an attachment that cannot be read makes no request, and is reported as that", async () => {
      const outbound = scriptedOutbound(answer(200, "{}"));
      const sound = sampleAttachment("a.txt", "text/plain", Buffer.from("a"));
      const broken = { ...sound, content: () => Promise.reject(new AttachmentReadError("storage is away")) };
      const message = sampleEmail({ attachments: [sound, broken] });
      await assert.rejects(sendOnce(gateway, message, parsed, toolsWith({ outbound })), AttachmentReadError);
      assert.deepEqual(outbound.requests, []);
    });
  }

  test("no answer is unknown, with every fault of the transport", async () => {
    for (const reason of ["socket closed", "", "ECONNREFUSED", "timeout\r\nInjected: yes"]) {
      const outcome = await send({ kind: "no_answer", reason });
      assert.equal(outcome.kind, "unknown");
      wellFormed(outcome, secrets);
    }
  });

  test("not sent is deferred, with whose trouble it is", async () => {
    const trouble = { url_not_allowed: "refused", unreachable: "unreachable", aborted: undefined } as const;
    for (const code of ["url_not_allowed", "unreachable", "aborted"] as const) {
      const outcome = await send({ kind: "not_sent", code, reason: `cannot: ${secrets.join(" ")}` });
      assert.equal(outcome.kind, "deferred");
      assert.equal(outcome.gatewayFault, trouble[code]);
      wellFormed(outcome, secrets);
    }
  });

  test("empty, broken, huge and wrongly typed answers never throw", async () => {
    for (const text of awkward) {
      for (const status of [200, 201, 400, 503]) wellFormed(await send(answer(status, text)), secrets);
    }
  });

  test("no answer of any status, headers and body throws, leaks a secret or makes a 5xx definite", async () => {
    const spelling = fc.constantFrom(
      (text: string) => text,
      (text: string) => encodeURIComponent(text),
      (text: string) => JSON.stringify(text).slice(1, -1),
      (text: string) => text.toUpperCase(),
      (text: string) => `${"-".repeat(190)}${text}`,
      (text: string) => `\u0000${text}\n`,
    );
    const echo = fc
      .record({
        at: fc.nat(),
        spell: spelling,
        asJson: fc.boolean(),
        before: fc.string(),
        code: fc.nat(99_999),
      })
      .map(({ at, spell, asJson, before, code }) => {
        const text = `${before} ${spell(secrets[at % Math.max(secrets.length, 1)] ?? "none")} refused`;
        return asJson ? JSON.stringify({ code, status: text, message: text }) : text;
      });
    const body = fc.oneof(
      fc.constantFrom(...awkward.filter((text) => text.length < 1000)).map((text) => Buffer.from(text)),
      echo.map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    );
    const status = fc.oneof(
      fc.constantFrom(200, 201, 202, 204, 400, 401, 408, 409, 429, 503),
      fc.integer({ min: 100, max: 999 }),
    );
    const headers = fc.option(fc.oneof(fc.string(), fc.constantFrom("5", "-1", "9".repeat(40), "soon")), {
      nil: undefined,
    });
    await fc.assert(
      fc.asyncProperty(status, body, headers, async (code, bytes, after) => {
        const result: OutboundResult = {
          kind: "answer",
          status: code,
          headers: after === undefined ? {} : { "retry-after": after },
          body: bytes,
        };
        const outcome = await send(result);
        wellFormed(outcome, secrets);
        if (code >= 500 && !http.definite?.includes(code)) assert.equal(outcome.kind, "unknown");
        if (outcome.kind === "accepted") assert.ok(code >= 200 && code < 300, `accepted on ${code}`);
        if (code === 429) assert.equal(outcome.kind, "deferred");
      }),
      { numRuns: 1000, seed },
    );
  });

  test("a Retry-After that is not one is ignored, and any other kept between a second and an hour", async () => {
    const waits = new Map<string, number | undefined>([
      ["17", 17_000],
      ["0", 1000],
      ["86400", 3_600_000],
      ["Fri, 20 Nov 2026 12:02:00 GMT", 120_000],
      ["Fri, 20 Nov 2026 11:00:00 GMT", 1000],
      ["Fri, 32 Nov 2026 11:00:00 GMT", undefined],
      ["1e3", undefined],
      ["-5", undefined],
      ["2026", 2_026_000],
      ["May", undefined],
      ["", undefined],
    ]);
    for (const [header, wait] of waits) {
      const outcome = await send(answer(429, "", { "retry-after": header }));
      assert.equal(outcome.kind, "deferred");
      assert.equal(outcome.retryAfterMs, wait === undefined ? undefined : Math.min(wait, 3_600_000), header);
      assert.equal(outcome.gatewayFault, undefined);
    }
  });
}

interface JsonSchema {
  secret?: boolean;
  description?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
}

/** Every text below a field that the schema flags as secret; ones with a {{field}} in them are no secret as they stand. */
function flaggedSecrets(gateway: GatewayAdapter, settings: unknown): string[] {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string" && !value.includes("{{")) found.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  const walk = (schema: JsonSchema, value: unknown): void => {
    if (schema.secret) collect(value);
    if (schema.secret || typeof value !== "object" || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      const below = schema.properties?.[name] ?? schema.items ?? schema.additionalProperties;
      if (typeof below === "object") walk(below, item);
    }
  };
  walk(z.toJSONSchema(gateway.settings, { io: "input" }) as JsonSchema, settings);
  return found;
}
