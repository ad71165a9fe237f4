// Answers in every cut: where the network divides the bytes changes nothing, and what is kept of them is bounded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerParser, maxHeadBytes } from "#runtime/net/http/answer-parser.ts";
import { chunk, recordedAnswers } from "./recorded-answers.ts";

interface Read {
  status: number | null;
  headers: Record<string, string> | null;
  body: string;
  isDone: boolean;
  error: string | null;
}

/** Reads pieces as a connection does, and what the end of the connection adds. */
function read(pieces: readonly string[], toHead = false): Read & { hasMore: boolean; largest: number } {
  const parser = new AnswerParser();
  parser.begin(toHead);
  let body = "";
  let largest = 0;
  let error: string | null = null;
  for (const text of pieces) {
    // In a larger buffer, as reads are; what is behind a piece is not part of it.
    const room = Buffer.from(`${text}@@@@`, "latin1");
    error = parser.push(room.subarray(0, text.length))?.message ?? null;
    body += parser.piece?.toString("latin1") ?? "";
    largest = Math.max(largest, parser.chunks);
    if (error !== null || parser.isDone) break;
  }
  if (error === null && !parser.isDone) error = parser.end()?.message ?? null;
  const { head, isDone, hasMore } = parser;
  return {
    status: head?.status ?? null,
    headers: head?.headers ?? null,
    body,
    isDone,
    error,
    hasMore,
    largest,
  };
}

const plain = ({ status, headers, body, isDone, error }: Read): Read => ({
  status,
  headers,
  body,
  isDone,
  error,
});

const broken: Record<string, string> = {
  "a bad chunk behind a good one": `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk("one")}zz\r\n`,
  "a head that breaks off": "HTTP/1.1 200 OK\r\ncontent-ty",
  "a body that breaks off": "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
  "chunks that break off": `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk("abc")}5\r\nab`,
  "a folded line": "HTTP/1.1 200 OK\r\nx-a: 1\r\n 2\r\ncontent-length: 0\r\n\r\n",
};

test("cut in two anywhere, and into single bytes, an answer is the same", () => {
  for (const [name, wire] of [...Object.entries(recordedAnswers), ...Object.entries(broken)]) {
    const whole = plain(read([wire]));
    assert.equal(whole.error === null, name in recordedAnswers, name);
    assert.deepEqual(plain(read([...wire])), whole, `${name}, in single bytes`);
    for (let cut = 1; cut < wire.length; cut += 1)
      assert.deepEqual(plain(read([wire.slice(0, cut), wire.slice(cut)])), whole, `${name}, cut at ${cut}`);
  }
});

test("what follows an answer is no part of it, and is noticed", () => {
  for (const [name, wire] of Object.entries(recordedAnswers)) {
    const { body, isDone, hasMore } = read([`${wire}HTTP/1.1 200 OK\r\n\r\n`]);
    const endsWithConnection = !/content-length|chunked|HTTP\/1\.1 [23]04/i.test(wire);
    assert.deepEqual([name, isDone, hasMore], [name, true, !endsWithConnection]);
    if (!endsWithConnection) assert.equal(body, read([wire]).body);
  }
});

test("the answer to HEAD has no body, even if its head announces one", () => {
  for (const framing of ["content-length: 7", "transfer-encoding: chunked", "x-a: 1"]) {
    const { body, isDone, hasMore } = read([`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n`], true);
    assert.deepEqual([framing, body, isDone, hasMore], [framing, "", true, false]);
  }
});

test("what cannot become an answer is refused before its end has come", () => {
  for (const wire of ["SSH-2.0-OpenSSH_9\r\n", "HTTP/2.0", "HTTP/1.1 200 OK\nx", "\x16\x03\x01", "<html>"])
    assert.match(read([wire]).error ?? "", /status line|bare line feed/, wire);
});

test("heads and trailers without end are refused at their limit, however they come", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  const line = `x-a: ${"y".repeat(100)}\r\n`;
  const lines = line.repeat(Math.ceil(maxHeadBytes / line.length) + 1);
  const trailers = `${head}transfer-encoding: chunked\r\n\r\n0\r\n${lines}`;
  assert.equal(read([head + lines]).error, "the head is too long");
  assert.equal(read([...(head + lines)]).error, "the head is too long");
  assert.equal(read([trailers]).error, "the trailers are too long");
  assert.equal(read([...trailers]).error, "the trailers are too long");
});

test("chunks of one read come as one piece, and their number is known", () => {
  const wire = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk("x").repeat(5000)}${chunk("")}`;
  const { body, largest } = read([wire]);
  assert.deepEqual([body, largest], ["x".repeat(5000), 5000]);
});
