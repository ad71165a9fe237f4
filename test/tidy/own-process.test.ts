// Test files share their processes, so a file that changes one asks for its own.

import assert from "node:assert/strict";
import test from "node:test";
import { findCode, readSources } from "./source.ts";

/** What a process has once, for all files that run in it. */
const shared: readonly [RegExp, string][] = [
  [/\bprocess\.env(?:\.\w+|\[[^\]]*\])\s*=(?!=)/g, "an assignment to process.env"],
  [/\bprocess\s*\.\s*(?:chdir|on|setuid|setgid)\s*\(/g, "a change of the process"],
  [/\bsetDefaultCACertificates\(/g, "certificate authorities of the process"],
];

test("a test file that changes what its process shares says so below its header", () => {
  const findings = readSources("test")
    .filter(
      ({ path, text }) => path.endsWith(".test.ts") && !/^\/\/ Runs in a process of its own: /m.test(text),
    )
    .flatMap((file) => shared.flatMap(([pattern, what]) => findCode(file, pattern, what)))
    .map(({ path, line, what }) => `${path}:${line} ${what}`);
  assert.deepEqual(findings, [], "Begin a line with `// Runs in a process of its own: ` and the reason.");
});

test("no module that test files share has hooks at its top level: they would be those of its first importer", () => {
  const findings = readSources("test")
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap((file) => findCode(file, /^(?:before|after|beforeEach|afterEach)\(/gm, "a hook"))
    .map(({ path, line, what }) => `${path}:${line} ${what}`);
  assert.deepEqual(findings, []);
});
