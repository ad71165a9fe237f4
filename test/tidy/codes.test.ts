// The reference page of errors has every code that the source can say, and no code that it cannot.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { aiProblems } from "#contract/ai/openai-error.ts";
import { problems } from "#contract/problem.ts";
import { anchorOf, type CodeKind, messageCodes, poolCodes, vendorCodes } from "../../scripts/docs-errors.ts";
import { codesIn, takingCodes } from "./codes.ts";
import { parseSource, readSources } from "./source.ts";

/** Values of something called `code` that no caller and no record ever sees, and what they are. */
const notErrors: Record<string, string> = {
  EACCES: "the refusal of a connection inside a child process",
  ECONNRESET: "Node's code of a socket's error",
  HardBounce: "Postmark's code, in the example of an event",
  ENOTFOUND: "Node's code of a DNS error",
  URL_NOT_ALLOWED: "how the connector tells the guard's refusal from an error of Node",
  code: "the name of a field",
  Code: "the scheme of a phone's credential",
  code_hash: "the name of a column",
  phones_code: "the name of an index",
  connect_timeout: "how a request to a provider failed, inside an attempt",
  headers_timeout: "how a request to a provider failed, inside an attempt",
  not_allowed: "how a request to a provider failed, inside an attempt",
  cut: "how a request to a provider failed, inside an attempt",
  custom: "zod's code of an issue",
  invalid_type: "zod's code of an issue",
  too_big: "zod's code of an issue",
  text: "the type of a column",
  tokens: "a type of error, or a word of a limit",
  "tls_…": "the beginning of a set-up code",
  "tlu_…": "the beginning of the code in a user's set-up link",
  "x-amzn-errortype": "a header from which a code is read",
};

const files = readSources("src");
const functions = takingCodes(files);
const named = files.flatMap((file) => codesIn(file, functions));
const page = readFileSync("docs/reference/errors.md", "utf8");

test("every code that the source says is on the page", () => {
  const missing = named
    .filter(({ code }) => !Object.hasOwn(notErrors, code) && !page.includes(`\`${code}\``))
    .filter(({ code }) => !page.includes(`"${code}"`))
    .map(({ code, path, line }) => `${code} (${path}:${line})`);
  assert.deepEqual(
    [...new Set(missing)],
    [],
    "Say in scripts/docs-errors.ts what it means, and run npm run docs; or in this test, why no caller sees it.",
  );
});

test("every code on the page is said somewhere, and every exception is needed", () => {
  const codes = new Set(named.map(({ code }) => code));
  const text = files.map(({ withoutComments }) => withoutComments).join("\n");
  const listed = { ...poolCodes, ...messageCodes, ...vendorCodes, ...notErrors };
  assert.deepEqual(
    Object.keys(listed).filter((code) => !codes.has(code)),
    [],
    "stale lines",
  );
  for (const code of [...Object.keys(problems), ...Object.keys(aiProblems)])
    assert.ok(text.includes(`"${code}"`), `${code} is in a catalogue, and nothing says it`);
});

test("codes are found as values, behind `?`, as arguments, in tables, and with a beginning; not in comparisons", () => {
  const source = parseSource(
    "src/x.ts",
    `
    function made(message: string, code: string, status = 502) { return { message, code, status }; }
    const other = (code: string) => made("x", code);
    const a = { code: "as_value", reason: "not_this" };
    const code = why === "not_compared" ? "first_branch" : why2 ? "second_branch" : null;
    made("not_the_message", "as_argument", 500);
    other("of_an_arrow");
    const words = { x: ["server_error", "in_a_table"] };
    const b = { code: \`begins_\${status}\` };
    if (a.code === "also_not") throw new Error();
    // code: "in_a_comment"
  `,
  );
  const found = codesIn(source, takingCodes([source])).map(({ code: each }) => each);
  assert.deepEqual([...new Set(found)].sort(), [
    "as_argument",
    "as_value",
    "begins_…",
    "first_branch",
    "in_a_table",
    "of_an_arrow",
    "second_branch",
  ]);
});

test("every code on the page has an anchor of its own", () => {
  const anchors = [...page.matchAll(/<a id="([\w-]+)"><\/a>/g)].map(([, id]) => id);
  assert.deepEqual(anchors.length, new Set(anchors).size);
  const codes: Record<CodeKind, object> = {
    problem: { ...problems, idempotency_mismatch: "" },
    ai: { ...aiProblems, ...poolCodes },
    message: messageCodes,
    vendor: vendorCodes,
  };
  const needed = Object.entries(codes).flatMap(([kind, all]) =>
    Object.keys(all).map((name) => anchorOf(kind as CodeKind, name)),
  );
  assert.deepEqual(anchors.toSorted(), needed.toSorted());
  // One before each code that begins a cell.
  for (const line of page.split("\n"))
    assert.doesNotMatch(line, /^\| (?:(?:\d{3}|failed) \| )?`[\w…]+` \| (?!When|`type`)/, line);
});
