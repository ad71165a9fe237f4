// Multipart bodies: as the platform writes them, as other clients do, and broken ones.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { boundaryOf, type MultipartEvent, MultipartReader, readMultipart } from "#http/body/multipart.ts";

const boundaries: [header: string, expected: string | null][] = [
  ["multipart/form-data; boundary=abc", "abc"],
  ['multipart/form-data; boundary="a b;c"', "a b;c"],
  ["multipart/form-data; charset=utf-8; BOUNDARY=abc ; x=y", "abc"],
  ["multipart/form-data", null],
  ["multipart/form-data; boundary=", null],
  ['multipart/form-data; boundary=""', null],
  [`multipart/form-data; boundary=${"a".repeat(71)}`, null],
];
for (const [header, expected] of boundaries) {
  test(`the boundary of ${header.slice(0, 60)}`, () => assert.equal(boundaryOf(header), expected));
}

const read = (text: string | Buffer, maxFields = 100) => readMultipart(Buffer.from(text), "XX", maxFields);

function part(headers: string, value: string): string {
  return `--XX\r\n${headers}\r\n\r\n${value}\r\n`;
}
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;

const good: [name: string, body: string, pairs: [string, string][], files: string[]][] = [
  ["no parts", "--XX--\r\n", [], []],
  ["one field", `${part(named("a"), "1")}--XX--\r\n`, [["a", "1"]], []],
  ["no line end after the last boundary", `${part(named("a"), "1")}--XX--`, [["a", "1"]], []],
  ["a part without a body", `--XX\r\n${named("a")}\r\n\r\n--XX--`, [["a", ""]], []],
  ["an empty value", `${part(named("a"), "")}--XX--`, [["a", ""]], []],
  ["a preamble and an epilogue", `before\r\n${part(named("a"), "1")}--XX--\r\nafter`, [["a", "1"]], []],
  [
    "dashes and line ends in a value",
    `${part(named("a"), "--X\r\n--X\r\n XX--")}--XX--`,
    [["a", "--X\r\n--X\r\n XX--"]],
    [],
  ],
  ["a bare name", `${part("content-disposition:form-data;name=a[0][b]", "1")}--XX--`, [["a[0][b]", "1"]], []],
  ["an escaped quote", `${part(named('a\\"b'), "1")}--XX--`, [['a"b', "1"]], []],
  [
    "a content type before the disposition",
    `${part(`Content-Type: text/plain; charset=utf-8\r\n${named("a")}`, "ü")}--XX--`,
    [["a", "ü"]],
    [],
  ],
  ["a file", `${part(`${named("f")}; filename="x.pdf"`, "\x00")}--XX--`, [], ["f"]],
  ["a file by RFC 5987", `${part(`${named("f")}; filename*=utf-8''x.pdf`, "x")}--XX--`, [], ["f"]],
  ["a file input left empty", `${part(`${named("f")}; filename=""`, "")}--XX--`, [], []],
];
for (const [name, body, pairs, files] of good) {
  test(`takes ${name}`, () => assert.deepEqual(read(body), { kind: "parts", pairs, files }));
}

const bad: [name: string, body: string | Buffer][] = [
  ["nothing", ""],
  ["no boundary", "hello"],
  ["the boundary of another", `${part(named("a"), "1")}--XX--`.replaceAll("XX", "YY")],
  ["no end", part(named("a"), "1")],
  ["an end in the middle of the headers", "--XX\r\nContent-Disp"],
  ["an end in the middle of a value", `--XX\r\n${named("a")}\r\n\r\nval`],
  ["bare line feeds", `${part(named("a"), "1")}--XX--`.replaceAll("\r\n", "\n")],
  ["a part without headers", `--XX\r\n\r\nx\r\n--XX--`],
  ["a part without a name", `${part("Content-Disposition: form-data", "1")}--XX--`],
  ["an attachment", `${part('Content-Disposition: attachment; name="a"', "1")}--XX--`],
  ["a transfer encoding", `${part(`${named("a")}\r\nContent-Transfer-Encoding: base64`, "MQ==")}--XX--`],
  ["a boundary that goes on", `--XXY\r\n${named("a")}\r\n\r\n1\r\n--XX--`],
  ["endless headers", `--XX\r\n${"x".repeat(10_000)}\r\n\r\n1\r\n--XX--`],
  ["a value that is not UTF-8", Buffer.from(`${part(named("a"), "\xff")}--XX--`, "latin1")],
  ["a name that is not UTF-8", Buffer.from(`${part(named("\xff"), "1")}--XX--`, "latin1")],
];
for (const [name, body] of bad) {
  test(`refuses ${name}`, () => assert.equal(read(body).kind, "malformed"));
}

test("parts are counted, files too", () => {
  const body = `${part(named("a"), "1")}${part(`${named("f")}; filename=x`, "1")}--XX--`;
  assert.equal(read(body, 2).kind, "parts");
  assert.equal(read(body, 1).kind, "too_many");
});

test("a name may hold a line separator, which ends no header line", () => {
  const name = "a\u2028content-transfer-encoding: base64\u2029b";
  assert.deepEqual(read(`${part(named(name), "1")}--XX--`), {
    kind: "parts",
    pairs: [[name, "1"]],
    files: [],
  });
});

test("reads what the platform writes", async () => {
  const text = fc.string({ unit: "grapheme" }).filter((value) => !/[\r\n"\\]/.test(value));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text), { maxLength: 6 }), async (pairs) => {
      const form = new FormData();
      for (const [name, value] of pairs) form.append(name, value);
      const response = new Response(form);
      const boundary = boundaryOf(response.headers.get("content-type") ?? "") ?? "";
      const body = Buffer.from(await response.arrayBuffer());
      assert.deepEqual(readMultipart(body, boundary, 100), { kind: "parts", pairs, files: [] });
    }),
  );
});

interface Gathered {
  parts: { name: string; filename?: string; value: Buffer }[];
  fault: string | null;
  complete: boolean;
}

/** What an incremental reading gives of bytes that come in these pieces. */
function gather(pieces: readonly Buffer[], limits = { maxFields: 100, maxFieldBytes: 1_000 }): Gathered {
  const reader = new MultipartReader("XX", limits);
  const gathered: Gathered = { parts: [], fault: null, complete: false };
  for (const piece of pieces) {
    const events = reader.write(piece);
    for (let next = events.next(); ; next = events.next()) {
      if (next.done) {
        gathered.fault = next.value;
        break;
      }
      add(gathered, next.value);
    }
    if (gathered.fault !== null) return gathered;
  }
  return { ...gathered, complete: reader.complete };
}

function add({ parts }: Gathered, event: MultipartEvent): void {
  const last = parts.at(-1);
  if (event.kind === "field") parts.push({ name: event.name, value: Buffer.from(event.value) });
  else if (event.kind === "file")
    parts.push({ name: event.name, filename: event.filename, value: Buffer.alloc(0) });
  else if (event.kind === "piece" && last) last.value = Buffer.concat([last.value, event.bytes]);
}

const mixed = Buffer.concat([
  Buffer.from(`before\r\n${part(named("a"), "ü\r\n--X")}`),
  Buffer.from(part(`${named("f")}; filename="x.bin"`, "\r\n--X\r\n\r\n--\r\n-\r")),
  Buffer.from(`--XX\r\n${named("empty")}\r\n\r\n${part(`${named("g")}; filename="y"`, "")}--XX--\r\nafter`),
]);

test("a body gives the same wherever it is cut", () => {
  const whole = gather([mixed]);
  assert.deepEqual(
    whole.parts.map(({ name, filename, value }) => [name, filename, value.toString()]),
    [
      ["a", undefined, "ü\r\n--X"],
      ["f", "x.bin", "\r\n--X\r\n\r\n--\r\n-\r"],
      ["empty", undefined, ""],
      ["g", "y", ""],
    ],
  );
  assert.ok(whole.complete);
  for (let at = 0; at <= mixed.length; at++) {
    assert.deepEqual(gather([mixed.subarray(0, at), mixed.subarray(at)]), whole, `cut at ${at}`);
  }
  assert.deepEqual(gather([...mixed].map((byte) => Buffer.from([byte]))), whole, "byte by byte");
});

test("a body that ends anywhere before its last boundary is not complete", () => {
  const end = mixed.indexOf("--XX--") + 6;
  for (let at = 0; at < end; at++) assert.equal(gather([mixed.subarray(0, at)]).complete, false, `${at}`);
  assert.ok(gather([mixed.subarray(0, end)]).complete);
});

test("contents of files are handed out as they come, and next to nothing is kept", () => {
  const reader = new MultipartReader("XX", { maxFields: 5, maxFieldBytes: 200 });
  const head = `--XX\r\n${named("f")}; filename="x"\r\n\r\n`;
  assert.deepEqual([...reader.write(Buffer.from(head))], []);
  let sentBytes = 0;
  for (let at = 0; at < 100; at++) {
    for (const event of reader.write(Buffer.alloc(1_000, "x")))
      sentBytes += event.kind === "piece" ? event.bytes.length : 0;
    assert.ok(sentBytes > (at + 1) * 1_000 - 6, `${sentBytes} of ${at + 1} thousand`);
  }
});

test("fields are bounded together, contents of files are not", () => {
  const limits = { maxFields: 10, maxFieldBytes: 300 };
  const file = part(`${named("f")}; filename=x`, "x".repeat(1_000));
  assert.equal(gather([Buffer.from(`${file}${part(named("a"), "1")}--XX--`)], limits).fault, null);
  const field = part(named("a"), "1".repeat(100));
  assert.equal(gather([Buffer.from(`${field}${field}${field}--XX--`)], limits).fault, "too_large");
  // Told as soon as it is known, whether or not the field ever ends.
  assert.equal(gather([Buffer.from(field.slice(0, -4)), Buffer.alloc(400, "x")], limits).fault, "too_large");
});

const filenames: [parameters: string, filename: string][] = [
  ['filename="a b.pdf"', "a b.pdf"],
  ['filename="ü.pdf"', "ü.pdf"],
  ['filename="a%22b%0D%0A.pdf"', 'a"b\r\n.pdf'],
  ['filename="50%25.pdf"', "50%25.pdf"],
  ['filename="C:\\dir\\a.pdf"', "C:\\dir\\a.pdf"],
  ["filename*=utf-8''na%C3%AFve.pdf", "naïve.pdf"],
  [`filename="=?utf-8?B?bmHDr3ZlLnBkZg==?="; filename*=utf-8''na%C3%AFve.pdf`, "naïve.pdf"],
  ["filename=\"a.pdf\"; filename*=utf-8''%ff", "a.pdf"],
];
for (const [parameters, filename] of filenames) {
  test(`the file name of ${parameters}`, () => {
    const { parts } = gather([Buffer.from(`${part(`${named("f")}; ${parameters}`, "x")}--XX--`)]);
    assert.equal(parts[0]?.filename, filename);
  });
}

test("with any bytes, it comes to an end", () => {
  const piece = fc.constantFrom(
    "--XX",
    "--",
    "\r\n",
    "\r\n\r\n",
    named("a"),
    "; filename=x",
    "v",
    "\0",
    '"',
    "\\",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      assert.match(read(pieces.join("")).kind, /^(parts|malformed)$/);
    }),
    { numRuns: 2_000 },
  );
});
