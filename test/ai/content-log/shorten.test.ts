// Contents as they are stored: files and vectors as a line, at most 64 KiB, and each cut with the bytes that it left out.

import assert from "node:assert/strict";
import test from "node:test";
import { redaction } from "#ai/content-log/redact.ts";
import { maxBytes, shorten } from "#ai/content-log/shorten.ts";

const short = (value: unknown) => {
  const { json, missing } = shorten(value, redaction(["secret"]));
  assert.ok(Buffer.byteLength(json) <= maxBytes, String(Buffer.byteLength(json)));
  return { value: JSON.parse(json), missing, json };
};

test("what fits is whole, in every kind of JSON", () => {
  for (const value of [
    null,
    "",
    "ö",
    1.5,
    true,
    [],
    {},
    [1, [null]],
    { a: { "": [{}] }, b: "x ".repeat(30_000) },
  ]) {
    const { value: same, missing } = short(value);
    assert.deepEqual([same, missing], [value, 0]);
  }
});

test("files in base64 and vectors say what they were", () => {
  const bytes = Buffer.alloc(12_345, 7);
  const base64 = bytes.toString("base64");
  const { value, missing } = short({
    image_url: { url: `data:image/png;base64,${base64}` },
    source: { type: "base64", media_type: "image/jpeg", data: base64 },
    inlineData: { mimeType: "audio/wav", data: base64 },
    input_audio: { data: base64, format: "wav" },
    text: `before ![](data:image/gif;base64,${base64}) after`,
    b64_json: bytes.toString("base64url"),
    embedding: Array.from({ length: 1_536 }, (_, at) => at / 7),
    image: "cat.png",
    few: [1, 2, 3],
    words: "Long texts have blanks between words. ".repeat(50),
  });
  assert.deepEqual(value, {
    image_url: { url: "[image/png, 12345 bytes]" },
    source: { type: "base64", media_type: "image/jpeg", data: "[image/jpeg, 12345 bytes]" },
    inlineData: { mimeType: "audio/wav", data: "[audio/wav, 12345 bytes]" },
    input_audio: { data: "[wav, 12345 bytes]", format: "wav" },
    text: "before ![]([image/gif, 12345 bytes]) after",
    b64_json: "[base64, 12345 bytes]",
    embedding: "[1536 numbers]",
    image: "cat.png",
    few: [1, 2, 3],
    words: "Long texts have blanks between words. ".repeat(50),
  });
  assert.equal(missing, 0);
});

test("a long text is cut, with what is missing, in characters of any length", () => {
  for (const letter of ["a b", "é", "語", "😀", "\u0001"]) {
    const { value, missing } = short(letter.repeat(100_000));
    const [, counted] = /^(?:.*)… \[(\d+) bytes are missing\]$/s.exec(value) ?? [];
    assert.equal(Number(counted), missing);
    const kept = value.slice(0, value.lastIndexOf("…"));
    const whole = Buffer.byteLength(JSON.stringify(letter.repeat(100_000)));
    assert.ok(missing > 0 && Math.abs(missing + Buffer.byteLength(JSON.stringify(kept)) - whole) < 8, letter);
    assert.ok(kept.length > 5_000);
  }
});

test("of a long conversation the beginning and the last message stay", () => {
  const messages = Array.from({ length: 500 }, (_, at) => ({
    role: "user",
    content: `${at} ${"x ".repeat(250)}`,
  }));
  const tools = [{ name: "tool", description: "y ".repeat(40_000) }];
  const { value, missing } = short({ model: "m", tools, messages, stream: true });
  assert.equal(value.model, "m");
  assert.match(value.messages[0].content, /^0 x/);
  assert.match(value.messages.at(-1).content, /^499 x/);
  assert.match(value.messages.at(-2), /^\[\d+ bytes are missing\]$/);
  assert.match(value.tools[0].description, /^[y ]+… \[\d+ bytes are missing\]$/);
  const whole = Buffer.byteLength(JSON.stringify({ model: "m", tools, messages, stream: true }));
  assert.ok(missing > whole - maxBytes && missing < whole, String(missing));
});

test("a secret at the place of a cut is replaced and not halved, and so is one in a name", () => {
  const secret = "sk-abcdefghij0123456789abcdefghij0123456789";
  for (let before = 57_000; before < 57_400; before += 7) {
    const { json } = short([`${"x ".repeat(before / 2)}${secret} ${"z".repeat(70_000)}`]);
    assert.ok(!json.includes("sk-abcdef"), String(before));
  }
  assert.deepEqual(short({ [secret]: 1 }).value, { "[secret]": 1 });
});

test("no half of a secret is left where many secrets before it have made the text shorter, nor in a cut name", () => {
  // 40 characters of base64, as AWS has them: a part of them has no form.
  const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKE1";
  const keys = "sk-abcdefghij0123456789abcdefghij0123456789 ".repeat(40);
  for (let before = 57_800; before < 57_900; before += 7) {
    const { json } = short(
      [keys + "x ".repeat((before - keys.length) / 2), secret, "z ".repeat(40_000)].join(" "),
    );
    assert.ok(!json.includes("wJalrXUt"), String(before));
  }
  const name = `${"n".repeat(235)} ${secret}`;
  const { json } = short({ [name]: 1 });
  assert.ok(!json.includes("wJalrXUt"), json);
});

test("the names in a tool's arguments tell its secrets, also where they are cut", () => {
  const args = JSON.stringify({ password: "open sesame", body: "x ".repeat(60_000) });
  const { json, missing } = short({ tool_calls: [{ function: { arguments: args } }] });
  assert.ok(!json.includes("sesame") && missing > 0);
});

test("each part of a large body is measured once, however deep it is", () => {
  let measured = 0;
  const text = "word and another ".repeat(200_000);
  let value: unknown = text;
  for (let level = 0; level < 200; level++) value = level % 2 === 0 ? [value] : { inner: value };
  const stringify = JSON.stringify;
  JSON.stringify = ((one: unknown) => {
    const made = stringify(one);
    measured += made?.length ?? 0;
    return made;
  }) as typeof JSON.stringify;
  try {
    assert.ok(short(value).missing > 3_000_000);
  } finally {
    JSON.stringify = stringify;
  }
  assert.ok(measured < 3 * text.length, String(measured));
});

test("bodies of any shape stay within the limit", () => {
  const deep = (levels: number) => {
    let value: unknown = "x ".repeat(100_000);
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value };
    return value;
  };
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`field ${at}`, at]));
  const wide = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}${"n".repeat(2_000)}`, "v"]));
  const lists = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => ["abc", null]));
  const emails = Array.from({ length: 3_000 }, () => "password: abcdef");
  for (const value of [deep(2), deep(60), many, wide, lists, emails, { a: lists, b: many, c: deep(9) }])
    assert.ok(short(value).missing >= 0);
});
