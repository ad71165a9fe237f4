// Files of a JSON body, and what a file may be called.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { errorsByPath, type Issue } from "#contract/issue.ts";
import { extensionOf, filenameIssue, filenameOf, readInlineFiles } from "#contract/messages/attachments.ts";

function read(attachments: unknown, maxFiles = 3) {
  const issues: Issue[] = [];
  const files = readInlineFiles({ attachments }, maxFiles, issues);
  return { files, errors: { ...errorsByPath(issues) } };
}

const file = { filename: "a.txt", content: "aGVsbG8=" };

test("none is absent, null, empty or an empty list", () => {
  for (const none of [undefined, null, "", []]) assert.deepEqual(read(none), { files: [], errors: {} });
  assert.deepEqual(readInlineFiles("text", 3, []), []);
});

test("files come with name and base64, whose padding and line ends do not matter", () => {
  const input = [
    file,
    { ...file, content: "aGVs\r\nbG8=\n" },
    { ...file, content: "\naG\nVs\r\rbG8=" },
    { ...file, content: "aGVsbG8", content_type: "x" },
  ];
  assert.deepEqual(
    read(input, input.length).files.map((one) => Buffer.from(one!.content, "base64").toString()),
    ["hello", "hello", "hello", "hello"],
  );
});

const required = (field: string) => [`The attachments.0.${field} field is required.`];
const faulty: [name: string, attachments: unknown, errors: Record<string, string[]>][] = [
  ["a text", "a.pdf", { attachments: ["The attachments field must be an array."] }],
  ["an object", file, { attachments: ["The attachments field must be an array."] }],
  [
    "too many",
    [file, file, file, file],
    { attachments: ["The attachments field must not have more than 3 items."] },
  ],
  [
    "an item that is a text",
    ["/etc/passwd"],
    { "attachments.0": ["The attachments.0 field must be a file."] },
  ],
  ["an item that is null", [null], { "attachments.0": ["The attachments.0 field must be a file."] }],
  [
    "a path",
    [{ path: "/etc/passwd" }],
    { "attachments.0.filename": required("filename"), "attachments.0.content": required("content") },
  ],
  [
    "a path with a name",
    [{ filename: "a.txt", path: "/etc/passwd" }],
    { "attachments.0.content": required("content") },
  ],
  [
    "an address",
    [{ filename: "a.txt", href: "http://127.0.0.1/" }],
    { "attachments.0.content": required("content") },
  ],
  [
    "content that is a path",
    [{ filename: "a.txt", content: { path: "/etc/passwd" } }],
    { "attachments.0.content": ["The attachments.0.content field must be a string."] },
  ],
  [
    "a raw part",
    [{ filename: "a.txt", raw: "Content-Type: text/html\r\n\r\nx" }],
    { "attachments.0.content": required("content") },
  ],
  [
    "content that is no base64",
    [{ ...file, content: "hello world" }],
    { "attachments.0.content": ["The attachments.0.content field must be valid base64."] },
  ],
  [
    "a type that is no text",
    [{ ...file, content_type: 5 }],
    { "attachments.0.content_type": ["The attachments.0.content_type field must be a string."] },
  ],
];
for (const [name, attachments, errors] of faulty) {
  test(`422: ${name}`, () => assert.deepEqual(read(attachments).errors, errors));
}

test("a faulty file leaves its place in the list", () => {
  const kept = { ...file, contentId: null };
  assert.deepEqual(read([file, {}, file]).files, [kept, null, kept]);
});

test("what is base64 and what is not", () => {
  const isBase64 = (content: string) => read([{ ...file, content }]).files[0] !== null;
  for (const content of ["A", "AA=", "AAA==", "=AAA", "AA=A", "A===", "AAAAA", "AA-_", "AA A", "é"]) {
    assert.equal(isBase64(content), false, content);
  }
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      const content = Buffer.from(bytes).toString("base64");
      assert.ok(isBase64(content) && isBase64(content.replace(/=+$/, "")));
    }),
  );
  assert.ok(isBase64("QUJD".repeat(2_000_000)));
});

test("a name is kept without its path and marks of direction, in any script", () => {
  const names: [input: string, kept: string][] = [
    ["a.pdf", "a.pdf"],
    ["../../etc/a.pdf", "a.pdf"],
    ["C:\\Users\\ada\\a.pdf", "a.pdf"],
    [" Счёт № 5.pdf ", "Счёт № 5.pdf"],
    ["請求書.pdf", "請求書.pdf"],
    ["evil\u202efdp.exe", "evilfdp.exe"],
    ["/", ""],
  ];
  for (const [input, kept] of names) assert.equal(filenameOf(input), kept);
  const endless = "\u202ea".repeat(1_000_000);
  assert.equal(
    filenameOf(endless),
    endless,
    "a text of megabytes is left as it is, and refused for its length",
  );
});

test("control characters, halves of pairs and endless names are faults", () => {
  const path = ["attachments", 0];
  assert.equal(filenameIssue("ü 🎉.pdf", path), null);
  for (const name of ["a\r\nb.pdf", "a\0.pdf", "a\u2028.pdf", "a\x7f.pdf"]) {
    assert.equal(
      filenameIssue(name, path),
      "The attachments.0 field must be one line without control characters.",
    );
  }
  assert.match(filenameIssue("a\ud800.pdf", path) ?? "", /cannot be sent/);
  assert.match(filenameIssue(`${"x".repeat(255)}.pdf`, path) ?? "", /greater than 255 characters/);
});

test("the extension says the type", () => {
  const names: [name: string, type: string | null][] = [
    ["a.pdf", "pdf"],
    ["A.JPEG", "jpeg"],
    ["a.tar.zip", "zip"],
    ["a.pdf.exe", null],
    ["pdf", null],
    ["a.", null],
    ["", null],
    ["a.constructor", null],
  ];
  for (const [name, type] of names) assert.equal(extensionOf(name), type, name);
});
