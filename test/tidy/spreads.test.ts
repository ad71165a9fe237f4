// Lists whose length a caller or a vendor decides are not spread into arguments: from some 120,000 on that is a RangeError.

import assert from "node:assert/strict";
import test from "node:test";
import { findCode, readSources } from "./source.ts";

test("the AI gateway adds lists to lists by `append`, and not by `push(...list)`", () => {
  const findings = ["src/ai", "src/providers"]
    .flatMap((folder) => readSources(folder))
    .flatMap((file) => findCode(file, /\.(?:push|unshift)\(\s*\.\.\./g, "a spread into push"))
    .map(({ path, line, what }) => `${path}:${line} ${what}`);
  assert.deepEqual(findings, [], "Use append of providers/translate/append.ts.");
});
