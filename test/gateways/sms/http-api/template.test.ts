// Any text of a message arrives as it is and changes nothing around it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { httpApi } from "#gateways/sms/http-api/http-api.ts";
import { sampleMessage, sendOnce, textOf, toolsWith } from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";

test("a text that would change the path is refused, and nothing is sent", async () => {
  const own = httpApi.settings.parse({
    method: "GET",
    url: "https://api.provider.test/{{to}}/{{message}}?m={{message}}",
  });
  for (const [message, sent] of [
    ["..", 0],
    [".", 0],
    ["...", 1],
    ["../..", 1],
  ] as const) {
    const outbound = scriptedOutbound(answer(200));
    const outcome = await sendOnce(
      httpApi,
      sampleMessage({ content: textOf(message) }),
      own,
      toolsWith({ outbound }),
    );
    assert.equal(outbound.requests.length, sent, message);
    assert.equal(outcome.kind, sent === 0 ? "rejected" : "accepted");
    for (const { url } of outbound.requests) assert.equal(new URL(url).pathname.split("/").length, 3, url);
  }
});

test("every text arrives as it was, in each encoding, and nothing else changes", async () => {
  const bodies = {
    json: [
      { a: ["{{to}}", { b: "{{message}}" }], key: "k" },
      '{"a":["{{to}}",{"b":"{{message}}"}],"key":"k"}',
    ],
    form: [{ a: "{{to}}", b: "{{message}}", key: "k" }, "a={{to}}&b={{message}}&key=k"],
    query: [{ a: "{{to}}", b: "{{message}}", key: "k" }, "a={{to}}&b={{message}}&key=k"],
  };
  const texts = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
    fc.constantFrom('"}', "{{message}}", "$&$1$`", "a&b=c", "\r\n", "%41", "+", "\u0000", "\\"),
  );
  for (const [encoding, templates] of Object.entries(bodies)) {
    for (const body of templates) {
      const own = httpApi.settings.parse({ url: "https://api.provider.test/send", encoding, body });
      await fc.assert(
        fc.asyncProperty(texts, async (message) => {
          const outbound = scriptedOutbound(answer(200));
          await sendOnce(httpApi, sampleMessage({ content: textOf(message) }), own, toolsWith({ outbound }));
          const [request] = outbound.requests;
          assert.ok(request);
          if (encoding === "json") {
            const parsed = JSON.parse(String(request.body));
            assert.deepEqual(parsed, { a: ["+4915112345678", { b: message }], key: "k" });
            return;
          }
          const text = encoding === "form" ? String(request.body) : new URL(request.url).search;
          const fields = [...new URLSearchParams(text)];
          assert.deepEqual(fields, [
            ["a", "+4915112345678"],
            ["b", message.toWellFormed()],
            ["key", "k"],
          ]);
        }),
        { numRuns: 200, seed: 7 },
      );
    }
  }
});
