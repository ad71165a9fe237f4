// Google's own client as the judge: it sends the requests that we send, and reads in the recorded streams what we read.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type GenerateContentParameters, GoogleGenAI } from "@google/genai";
import { gemini } from "#providers/gemini/gemini.ts";
import { requestOf } from "../conformance-cases.ts";
import { eventsOf } from "../sse.ts";
import { spoken, vendorDouble } from "../vendor-double.ts";
import { geminiSuite as suite } from "./gemini-suite.ts";

const key = String(suite.settings.api_key);
const clientOf = (baseUrl: string) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl, apiVersion: "v1beta" } });

/** What one would ask its client for, to have it send this body. */
function asked(model: string, body: unknown): GenerateContentParameters {
  const { contents, generationConfig, ...more } = body as Record<string, object>;
  return { model, contents, config: { ...generationConfig, ...more } } as GenerateContentParameters;
}

describe("gemini: what its client sends", () => {
  for (const { name, model = suite.model, request } of suite.requests) {
    // A name that tries to leave its path, and one with a folder, are not escaped by it.
    if (model.includes("/")) continue;
    test(name, async () => {
      const double = await vendorDouble("{}", "application/json");
      try {
        await clientOf(double.origin).models.generateContent(asked(model, request.body));
        const sent = double.sent();
        assert.ok(sent);
        // It always sends one.
        assert.deepEqual(sent.body, { generationConfig: {}, ...(request.body as object) });
        const path = new URL(request.url).pathname.replace("streamGenerateContent", "generateContent");
        assert.deepEqual([sent.method, sent.path], ["POST", path]);
        assert.equal(sent.headers["x-goog-api-key"], key);
      } finally {
        double.close();
      }
    });
  }
});

describe("gemini: what its client reads", () => {
  for (const { name, wire, body, model, end } of suite.streams) {
    if (end !== "done") continue;
    test(name, async () => {
      const double = await vendorDouble(wire, "text/event-stream");
      try {
        const stream = await clientOf(double.origin).models.generateContentStream({
          model: suite.model,
          contents: "x",
        });
        let text = "";
        let thought = "";
        const used: unknown[] = [];
        for await (const { candidates } of stream) {
          for (const part of candidates?.find(({ index = 0 }) => index === 0)?.content?.parts ?? []) {
            if (part.functionCall)
              used.push({ name: part.functionCall.name, input: part.functionCall.args ?? {} });
            else if (part.thought) thought += part.text ?? "";
            else text += part.text ?? "";
          }
        }
        const reader = gemini.stream(requestOf(body ?? { messages: [] }, model ?? suite.model, true));
        const ours = spoken(eventsOf(wire).flatMap((event) => reader.push(event)));
        // Words behind a finish are not passed on: no client of OpenAI's expects them.
        assert.ok(text.startsWith(ours.text) && (text === ours.text || name.includes("too late")), text);
        assert.deepEqual([ours.reasoning, ours.calls], [thought, used]);
      } finally {
        double.close();
      }
    });
  }
});
