// Forms are read back by Node's own parser of them: all names, texts and bytes go in come out, in as many parts,
// and nothing in them ends a part or adds a header.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { type FormFile, multipartForm } from "#gateways/multipart-form.ts";
import { seed } from "./conformance-samples.ts";

const file = (filename: string, content: Buffer, contentType = "text/plain"): FormFile => ({
  name: "attachment",
  filename,
  contentType,
  sha256: createHash("sha256").update(content).digest("hex"),
  content,
});

async function readBack({ contentType, body }: { contentType: string; body: Buffer }) {
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": contentType },
  }).formData();
  const fields: [string, string][] = [];
  const files: { name: string; type: string; content: Buffer }[] = [];
  for (const [name, value] of form) {
    if (typeof value === "string") fields.push([name, value]);
    else files.push({ name: value.name, type: value.type, content: Buffer.from(await value.arrayBuffer()) });
  }
  return { fields, files };
}

test("fields and files come back in their order", async () => {
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255]);
  const form = multipartForm(
    [
      { name: "to", value: "ada@example.com" },
      { name: "text", value: "Grüße\r\n--\r\n🎉" },
    ],
    [file("Übersicht.pdf", bytes, "application/pdf"), file("leer.txt", Buffer.alloc(0))],
  );
  assert.deepEqual(await readBack(form), {
    fields: [
      ["to", "ada@example.com"],
      ["text", "Grüße\r\n--\r\n🎉"],
    ],
    files: [
      { name: "Übersicht.pdf", type: "application/pdf", content: bytes },
      { name: "leer.txt", type: "text/plain", content: Buffer.alloc(0) },
    ],
  });
});

test("the file name is written as UTF-8, never as `filename*`", () => {
  const { body } = multipartForm([], [file('a"b\r\nX-Evil: 1;ü.txt', Buffer.from("x"))]);
  const text = body.toString();
  assert.match(text, /filename="a%22b%0D%0AX-Evil: 1;ü\.txt"\r\nContent-Type: text\/plain\r\n\r\nx\r\n/);
  assert.doesNotMatch(text, /filename\*|^X-Evil/m);
});

test("a content type that is not valid is replaced", async () => {
  for (const type of ["text/html\r\nX-Evil: 1", "nonsense", "", "text/plain; a=\u0000"]) {
    const { files } = await readBack(multipartForm([], [file("a", Buffer.from("x"), type)]));
    assert.equal(files[0]?.type, "application/octet-stream");
  }
});

test("the same form has the same boundary, and any change another one", () => {
  const boundary = (value: string, bytes: string) =>
    multipartForm([{ name: "text", value }], [file("a", Buffer.from(bytes))]).contentType;
  assert.equal(boundary("a", "b"), boundary("a", "b"));
  assert.notEqual(boundary("a", "b"), boundary("a", "c"));
  assert.notEqual(boundary("a", "b"), boundary("b", "b"));
  assert.match(boundary("a", "b"), /^multipart\/form-data; boundary=[\w-]{20,70}$/);
});

test("a text that holds the boundary of another form does not end a part", async () => {
  const first = multipartForm([{ name: "text", value: "a" }], []);
  const boundary = first.contentType.split("=")[1];
  const text = `a\r\n--${boundary}\r\nContent-Disposition: form-data; name="to"\r\n\r\nevil@example.com`;
  const { fields } = await readBack(multipartForm([{ name: "text", value: text }], []));
  assert.deepEqual(fields, [["text", text]]);
});

test("all that goes in comes out", async () => {
  const awkward = fc.array(
    fc.constantFrom(
      "a",
      '"',
      "\\",
      "\r\n",
      "\n",
      "--",
      "--trunkline-",
      ";",
      "filename=",
      "ü",
      "🎉",
      ":",
      " ",
    ),
    { maxLength: 12 },
  );
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    awkward.map((parts) => parts.join("")),
  );
  const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 5 }),
      fc.array(fc.tuple(text, bytes), { maxLength: 3 }),
      async (values, uploads) => {
        const form = multipartForm(
          values.map((value, index) => ({ name: `f${index}`, value })),
          uploads.map(([filename, content]) => file(`n${filename}`, content)),
        );
        const { fields, files } = await readBack(form);
        assert.deepEqual(
          fields,
          values.map((value, index) => [`f${index}`, value]),
        );
        assert.deepEqual(
          files.map(({ content }) => content),
          uploads.map(([, content]) => content),
        );
        // The parser undoes the escapes.
        assert.deepEqual(
          files.map(({ name }) => name),
          uploads.map(([filename]) => `n${filename}`.replaceAll("\0", "")),
        );
      },
    ),
    { numRuns: 400, seed },
  );
});
