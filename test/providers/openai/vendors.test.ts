// What is known of the vendors: where the Responses API is, and that the document of the vendors has a row for each.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { defaultsOf, responsesAt, vendorNames } from "#providers/openai/vendors.ts";

const own = (vendor: (typeof vendorNames)[number]) => responsesAt(vendor, defaultsOf(vendor).url ?? "");

test("requests at /responses are passed on to whom has that API for certain or documents it", () => {
  assert.equal(own("openai"), "yes");
  assert.equal(responsesAt("openai", "https://eu.api.openai.com/v1"), "yes");
  assert.equal(responsesAt("openai", "https://other.test/v1"), "no", "anybody may be there");
  assert.equal(responsesAt("azure-openai", "https://mine.openai.azure.com/openai/v1"), "yes");
  assert.equal(responsesAt("azure-openai", "https://mine.openai.azure.com/openai/deployments/d"), "no");
  assert.equal(responsesAt("vllm", "http://gpu.test:8000/v1"), "assumed", "its address is the user's own");
  const assumed = vendorNames.filter((vendor) => own(vendor) === "assumed");
  assert.deepEqual(
    [...assumed].sort(),
    "fireworks groq hugging-face lm-studio moonshot ollama openrouter vllm xai".split(" "),
  );
  for (const vendor of vendorNames)
    if (vendor !== "openai" && !assumed.includes(vendor)) assert.equal(own(vendor), "no", vendor);
});

test("the setting overrules what is known of the vendor", () => {
  const native = (settings: object) =>
    openaiCompatible.native("responses", openaiCompatible.settings.parse(settings), "m");
  assert.equal(native({ vendor: "groq" })?.assumed, true);
  assert.equal(native({ vendor: "groq", responses: false }), null);
  assert.equal(native({ vendor: "cerebras" }), null);
  const overruled = native({ vendor: "cerebras", responses: true });
  assert.ok(overruled !== null && overruled.assumed === undefined);
  assert.equal(native({})?.assumed, undefined);
});

test("docs/ai-vendors.md has each vendor, its address and whether it has /responses", () => {
  const page = readFileSync(new URL("../../../docs/ai-vendors.md", import.meta.url), "utf8");
  const rows = new Map(
    page
      .split("\n")
      .filter((line) => /^\| `[^`]+` \| `http/.test(line))
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, vendor = "", address = "", responses = ""]) => [
        vendor.replaceAll("`", ""),
        { address, responses },
      ]),
  );
  assert.deepEqual([...rows.keys()].sort(), [...vendorNames].sort());
  for (const vendor of vendorNames) {
    const { url, urlForm } = defaultsOf(vendor);
    const row = rows.get(vendor);
    assert.equal(row?.address, `\`${url ?? urlForm}\``, vendor);
    assert.equal(/^passed on/.test(row?.responses ?? ""), defaultsOf(vendor).responses !== undefined, vendor);
  }
});
