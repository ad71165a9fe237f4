// Bounds of uploads beside those of their files: what comes before the key, how it is cut, and what is in memory.

import assert from "node:assert/strict";
import test from "node:test";
import { key } from "../edge.ts";
import { lastAnswer, withWire } from "../wire.ts";
import { contact, type Field, form, mail, pdf, post } from "./uploading.ts";

const head = (more: string[]) =>
  `${["POST /api/email/send HTTP/1.1", "Host: x", "Content-Type: multipart/form-data; boundary=XX", ...more].join("\r\n")}\r\n\r\n`;
const opening = '--XX\r\nContent-Disposition: form-data; name="attachments"; filename="a.pdf"\r\n\r\n';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("fields before their key count as files do, also one that does not end", async () => {
  await withWire({ settings: { maxKeylessBodyBytes: 100_000 } }, async (wire) => {
    const half = "x".repeat(60_000);
    for (const fields of [
      [
        ["other", half],
        ["attachments", pdf(60_000), "a.pdf"],
        ["api_key", key],
      ],
      [
        ["other", half],
        ["more", half],
        ["api_key", key],
      ],
    ] as Field[][])
      assert.equal((await post(wire, form(...fields), {})).status, 413);
    const line = await wire.open();
    line.write(
      `${head(["Content-Length: 4000000"])}--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n${half}${half}`,
    );
    assert.equal(lastAnswer(await line.until(/body_too_large"\}/)).status, 413);
    assert.deepEqual(wire.keys, []);
    // Behind its key a field is as long as any.
    const behind = form(["api_key", key], ["other", half], ["more", half], contact);
    assert.equal((await post(wire, behind, {})).status, 200);
  });
});

test("a form whose every byte comes by itself is read, in few steps", async () => {
  await withWire({}, async (wire) => {
    const part = '--XX\r\nContent-Disposition: form-data; name="';
    const long = `${part}attachments"; filename="a.txt"\r\nX-Note: ${"n".repeat(3_000)}\r\n\r\nhello\r\n`;
    const body = `${part}contact"\r\n\r\n${JSON.stringify([mail])}\r\n${long}--XX--\r\n`;
    const line = await wire.open();
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join("");
    line.write(`${head([`Api-key: ${key}`, "Transfer-Encoding: chunked"])}${chunks}0\r\n\r\n`);
    assert.equal(lastAnswer(await line.until(/\}\]\}\}$/)).status, 200);
    assert.deepEqual([...wire.staged.values()], [Buffer.from("hello").toString("base64")]);
  });
});

test("an upload that finds no room for what is in memory of it is 503, and nothing stays", async () => {
  await withWire({ settings: { maxBodiesBytes: 1_200_000 } }, async (wire) => {
    const opened = [];
    for (let at = 0; at < 2; at++) {
      const line = await wire.open();
      line.write(`${head([`Api-key: ${key}`, "Content-Length: 1000000"])}${opening}${pdf(400_000)}`);
      while (wire.staged.size === at) await turn();
      opened.push(line);
    }
    const refused = await post(wire, form(["attachments", pdf(), "a.pdf"], contact));
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get("retry-after"), "1");
    assert.equal(wire.staged.size, 2);
  });
});
