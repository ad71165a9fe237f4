// Google's own client in its form for Vertex AI as the judge: it sends the requests that we send.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GenerateContentParameters } from "@google/genai";
import { modelNames } from "#providers/model-names.ts";
import { isClaude } from "#providers/vertex/claude.ts";
import { vertex } from "#providers/vertex/vertex.ts";
import { vendorDouble } from "../vendor-double.ts";
import { vertexClient } from "./sdk-client.ts";
import { vertexSuite as suite } from "./vertex-suite.ts";

describe("vertex: what its client sends", () => {
  for (const { name, model = suite.model, settings, request } of suite.requests) {
    // It does not escape a name that tries to leave its path.
    if (model.includes("..") || isClaude(model)) continue;
    test(name, async () => {
      const double = await vendorDouble("{}", "application/json");
      const { project, location } = (settings ?? {}) as { project?: string; location?: string };
      const { contents, generationConfig, ...more } = request.body as Record<string, object>;
      try {
        await vertexClient(double.origin, project, location).models.generateContent({
          model,
          contents,
          config: { ...generationConfig, ...more },
        } as GenerateContentParameters);
        const sent = double.sent();
        assert.ok(sent);
        // It always sends one.
        assert.deepEqual(sent.body, { generationConfig: {}, ...(request.body as object) });
        const path = new URL(request.url).pathname.replace("streamGenerateContent", "generateContent");
        assert.deepEqual([sent.method, sent.path], ["POST", path]);
        assert.equal(sent.headers.authorization, "Bearer t");
      } finally {
        double.close();
      }
    });
  }
});

test("vertex: the list of models is asked for where its client asks, and read as it is", async () => {
  const list = {
    publisherModels: [{ name: "publishers/google/models/gemini-2.5-flash", versionId: "default" }],
  };
  const double = await vendorDouble(JSON.stringify(list), "application/json");
  try {
    const pager = await vertexClient(double.origin).models.list({ config: { queryBase: true, pageSize: 1 } });
    const sent = double.sent();
    const own = new URL(vertex.check(vertex.settings.parse(suite.settings))?.url ?? "");
    assert.equal(sent?.path.replace("/v1/", "/v1beta1/"), `${own.pathname}${own.search}`);
    assert.deepEqual(modelNames(JSON.stringify(list)), ["gemini-2.5-flash"]);
    assert.equal(pager.page[0]?.name, list.publisherModels[0]?.name);
  } finally {
    double.close();
  }
});
