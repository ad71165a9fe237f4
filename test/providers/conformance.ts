// The suite that every provider passes: settings that explain themselves, requests as recorded, answers and streams
// in OpenAI's form with every flag right, failures that never hold a key. What it is given is recorded wire traffic;
// the same recordings can be played to the vendor's own SDK.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import type { ParsedAnswer, Provider } from "#providers/provider.ts";
import { expectFailure, now, type ProviderSuite, requestOf } from "./conformance-cases.ts";
import { streamChecks } from "./conformance-streams.ts";
import { checkedCompletion, checkedFailure } from "./openai-shapes.ts";

export function providerConformance(provider: Provider, suite: ProviderSuite): void {
  const parsed = provider.settings.parse(suite.settings);
  const secrets = Object.entries(shapeOf(provider))
    .filter(([, field]) => field.secret === true)
    .flatMap(([name]) => texts(suite.settings[name]));

  describe(`${provider.kind}: conformance`, () => {
    settingsChecks(provider, suite, parsed);
    requestChecks(provider, suite, parsed, secrets);
    answerChecks(provider, suite);
    streamChecks(provider, suite);
    failureChecks(provider, suite, secrets);
  });
}

interface FieldShape {
  secret?: boolean;
  description?: string;
}

function shapeOf(provider: Provider): Record<string, FieldShape> {
  const schema = z.toJSONSchema(provider.settings, { io: "input" }) as {
    properties?: Record<string, FieldShape>;
  };
  return schema.properties ?? {};
}

function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

function settingsChecks(provider: Provider, suite: ProviderSuite, parsed: unknown): void {
  test("the example settings are accepted, also after a second pass, and name their URLs", () => {
    assert.deepEqual(provider.settings.parse(parsed), parsed);
    const urls = provider.urls(parsed);
    assert.ok(urls.length > 0);
    for (const url of urls) assert.match(url, /^https?:\/\//);
  });

  test("an unknown field is refused by name, and settings that are no object", () => {
    const result = provider.settings.safeParse({ ...suite.settings, no_such_field: 1 });
    assert.match(result.error?.issues[0]?.message ?? "", /no_such_field/);
    for (const wrong of [null, [], "text", 1]) {
      assert.equal(provider.settings.safeParse(wrong).success, false);
    }
  });

  for (const { settings, path, says } of suite.refused) {
    test(`refused at ${path}: ${JSON.stringify(settings).slice(0, 100)}`, () => {
      const issues = provider.settings.safeParse(settings).error?.issues ?? [];
      const found = issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
      assert.ok(
        issues.some((issue) => issue.path.join(".") === path && says.test(issue.message)),
        found.join("\n"),
      );
    });
  }

  test("every field is described", () => {
    for (const [name, field] of Object.entries(shapeOf(provider))) {
      assert.ok((field.description ?? "").length > 10, `${name} has no description`);
    }
  });
}

function requestChecks(
  provider: Provider,
  suite: ProviderSuite,
  parsed: unknown,
  secrets: readonly string[],
): void {
  for (const { name, body, model, stream, settings, request } of suite.requests) {
    test(`request: ${name}`, () => {
      const own = settings ? provider.settings.parse({ ...suite.settings, ...settings }) : parsed;
      const asked = requestOf(body, model ?? suite.model, stream);
      const prepared = provider.chat(asked, own);
      assert.equal(prepared.kind, "request", JSON.stringify(prepared));
      assert.equal(prepared.request.method, "POST");
      assert.equal(prepared.request.url, request.url);
      assert.deepEqual(JSON.parse(String(prepared.request.body)), request.body);
      for (const [header, value] of Object.entries(request.headers ?? {})) {
        assert.equal(prepared.request.headers[header], value, header);
      }
      for (const secret of secrets) {
        const outside: string = `${prepared.request.url} ${prepared.request.body}`;
        assert.ok(!outside.includes(secret), "a secret outside the headers");
      }
      assert.deepEqual(provider.chat(asked, own), prepared);
    });
  }

  for (const { name, body, model, param, says } of suite.unsupported) {
    test(`unsupported: ${name}`, () => {
      const prepared = provider.chat(requestOf(body, model ?? suite.model), parsed);
      assert.equal(prepared.kind, "unsupported_parameter", JSON.stringify(prepared));
      assert.equal(prepared.param, param, prepared.message);
      assert.match(prepared.message, says ?? /\w.*\.$/);
    });
  }

  test("no request, however strange, makes it throw", () => {
    const message = fc.oneof(
      fc.jsonValue(),
      fc.record({ role: fc.constantFrom("user", "assistant", "tool", "system"), content: fc.jsonValue() }),
    );
    const names = [
      "tools",
      "tool_choice",
      "response_format",
      "stop",
      "reasoning_effort",
      "n",
      "temperature",
      "thinking",
    ];
    fc.assert(
      fc.property(
        fc.array(message),
        fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
        (messages, more) => {
          const { kind } = provider.chat(requestOf({ ...more, messages }, suite.model), parsed);
          assert.ok(["request", "unsupported_parameter", "simulated"].includes(kind));
        },
      ),
    );
  });

  test("the check asks for something that costs no tokens", () => {
    const check = provider.check(parsed);
    assert.equal(check?.url ?? null, suite.check);
    if (check === null) return;
    assert.equal(check.method, "GET");
    assert.equal(check.body, null);
    for (const secret of secrets) assert.ok(!check.url.includes(secret));
  });
}

const asText = (wire: unknown) => (typeof wire === "string" ? wire : JSON.stringify(wire));

/** What no vendor should answer, and some proxy does. */
const awkward = [
  "",
  " ",
  "null",
  "[]",
  "{}",
  "0",
  '"text"',
  "<html><body>Sign in</body></html>",
  '{"id":',
  `${"[".repeat(5000)}${"]".repeat(5000)}`,
  '{"__proto__":{"error":{}},"constructor":1,"content":{},"candidates":{},"choices":{},"error":1,"usage":[]}',
  '{"content":[null,1,{"type":"text","text":1}],"candidates":[null,{"content":{"parts":[null,1]}}],"choices":[null]}',
];

function answerChecks(provider: Provider, suite: ProviderSuite): void {
  for (const { name, wire, body, model, completion, output, failure } of suite.answers) {
    test(`answer: ${name}`, () => {
      const asked = requestOf(body ?? { messages: [] }, model ?? suite.model);
      const answer: ParsedAnswer = provider.answer(asText(wire), asked);
      if (failure) {
        assert.equal(answer.kind, "failure", JSON.stringify(answer));
        expectFailure(answer.failure, failure);
        return;
      }
      assert.equal(answer.kind, "answer", JSON.stringify(answer));
      checkedCompletion(answer);
      assert.deepEqual(JSON.parse(answer.text), completion);
      assert.equal(answer.output, output ?? true);
    });
  }

  test("an answer that is not valid is a failure that another member may do better", () => {
    for (const text of awkward) {
      const answer = provider.answer(text, requestOf({ messages: [] }, suite.model));
      if (answer.kind === "answer") assert.equal(answer.output, false, text);
      else assert.equal(checkedFailure(answer.failure).kind, "upstream_error", text);
    }
  });
}

function failureChecks(provider: Provider, suite: ProviderSuite, secrets: readonly string[]): void {
  for (const { name, status, headers, wire, failure } of suite.failures) {
    test(`failure: ${name}`, () => {
      const actual = provider.failure(status, headers ?? {}, asText(wire), now);
      assert.equal(actual.status, status);
      expectFailure(actual, failure);
    });
  }

  test("no status and no body makes it throw, and the status decides where the body says nothing", () => {
    const statuses = [
      300, 302, 400, 401, 402, 403, 404, 408, 409, 413, 422, 425, 429, 499, 500, 502, 503, 504, 529,
    ];
    for (const status of statuses) {
      for (const text of awkward) {
        const { kind } = checkedFailure(provider.failure(status, {}, text, now));
        if (status >= 500 || status < 400 || [408, 409, 425].includes(status))
          assert.equal(kind, "upstream_error");
        if ([401, 402, 403].includes(status)) assert.equal(kind, "unauthorized");
        // It does not say that the model is what is not there.
        if (status === 404) assert.equal(kind, "unsupported");
        if (status === 429) assert.equal(kind, "rate_limited");
        if ([400, 413, 422].includes(status)) assert.equal(kind, "invalid_request");
      }
    }
  });

  test("a key that the vendor quotes does not come through", () => {
    for (const { status, wire } of suite.failures) {
      for (const secret of secrets) {
        const quoted = asText(wire).replace(
          /("message":\s*")/g,
          `$1Got ${secret} at https://x.test/?key=${secret}. `,
        );
        const failure = checkedFailure(provider.failure(status, {}, quoted, now));
        // The detail, for logs and the pool's owner, too.
        assert.ok(!JSON.stringify(failure).includes(secret), JSON.stringify(failure));
      }
    }
  });

  test("Retry-After is heard as seconds, date and milliseconds, kept within an hour", () => {
    const waits: [Record<string, string>, number | null][] = [
      [{ "retry-after": "17" }, 17_000],
      [{ "retry-after": "Fri, 20 Nov 2026 12:02:00 GMT" }, 120_000],
      [{ "retry-after": "2", "retry-after-ms": "1500" }, 1500],
      [{ "retry-after": "86400" }, 3_600_000],
      [{ "retry-after": "soon" }, null],
    ];
    for (const [headers, wait] of waits) {
      const { kind, retryAfterMs } = provider.failure(429, headers, "{}", now);
      assert.equal(kind, "rate_limited");
      assert.equal(retryAfterMs, wait);
    }
  });
}
