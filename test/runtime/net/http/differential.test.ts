// The client against undici, over real sockets: the same bytes in the same pieces. Both give the same answer, or ours refuses by a rule of this
// file. What ours takes and undici does not is listed with the reason why it does no harm.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { HttpError } from "#runtime/net/http/http-error.ts";
import { type AnsweringServer, openAnsweringServer, type Script } from "./answering-server.ts";
import { type Asking, type Outcome, ourClient, undiciClient } from "./collecting.ts";
import { chunk, recordedAnswers } from "./recorded-answers.ts";

let server: AnsweringServer;
let ours: Asking;
let theirs: Asking;

before(async () => {
  server = await openAnsweringServer();
  ours = ourClient();
  theirs = undiciClient();
});
after(async () => {
  await Promise.all([ours.close(), theirs.close()]);
  server.close();
});

/** On connections of their own, so that no case touches another. */
function askBoth(script: Script): Promise<[our: Outcome, their: Outcome]> {
  const path = server.add(script);
  const more = { fresh: true };
  return Promise.all([ours.ask(server.origin, path, more), theirs.ask(server.origin, path, more)]);
}

const answerOf = ({ status, headers, body }: Outcome) => ({ status, headers: { ...headers }, body });

test("recorded answers: both give the same, in one piece and in several", async () => {
  for (const [name, wire] of Object.entries(recordedAnswers)) {
    const third = Math.floor(wire.length / 3);
    for (const cuts of [[], [1, 9, third, 2 * third, wire.length - 1]]) {
      const [our, their] = await askBoth({ wire, cuts });
      assert.deepEqual([our.error, their.error], [null, null], name);
      assert.deepEqual(answerOf(our), answerOf(their), name);
    }
  }
});

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const oneChunk = `${chunk("abc")}${chunk("")}`;
const length = "content-length: 3\r\n\r\nabc";

/** What both refuse, with our rule. */
const bothRefuse: [wire: string, rule: string][] = [
  [`${ok}content-length: 3\r\ncontent-length: 4\r\n\r\nabc`, "the length is given twice"],
  [`${ok}content-length: 3\r\ncontent-length: 3\r\n\r\nabc`, "the length is given twice"],
  [`${ok}content-length: 3, 3\r\n\r\nabc`, "the length is not a number"],
  [`${ok}content-length: +3\r\n\r\nabc`, "the length is not a number"],
  [`${ok}content-length: 0x3\r\n\r\nabc`, "the length is not a number"],
  [`${ok}content-length: -3\r\n\r\nabc`, "the length is not a number"],
  [`${ok}content-length: 3\t\r\n\r\nabc`, "a header of the framing has a tab"],
  [`${ok}content-length: \r\n\r\nabc`, "the length is not a number"],
  [`${ok}content-length: 99999999999999999999\r\n\r\nabc`, "the length is not a number"],
  [
    `${ok}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n${oneChunk}`,
    "it has a length and a transfer encoding",
  ],
  [
    `${ok}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n${oneChunk}`,
    "it has a length and a transfer encoding",
  ],
  [`${ok}x-a: 1\r\n folded\r\n${length}`, "a header line has no colon"],
  [`${ok}x-a: 1\r\n fol: ded\r\n${length}`, "a header's name is not a token"],
  [`${ok}x-a : 1\r\n${length}`, "a header's name is not a token"],
  [`${ok}x\ta: 1\r\n${length}`, "a header's name is not a token"],
  [`${ok}: 1\r\n${length}`, "a header's name is not a token"],
  [`${ok}x-a\r\n${length}`, "a header line has no colon"],
  [`${ok}x-a: 1\nx-b: 2\r\n${length}`, "a header's value has a control character"],
  [`${ok}x-a: 1\rx-b: 2\r\n${length}`, "a header's value has a control character"],
  [`${ok}x-a: 1\0\r\n${length}`, "a header's value has a control character"],
  [`${ok}x-a: \x7f\r\n${length}`, "a header's value has a control character"],
  [`HTTP/1.1 200 OK\n${length}`, "the status line is not that of HTTP/1"],
  [`HTTP/1.1 20 OK\r\n${length}`, "the status line is not that of HTTP/1"],
  [`HTTP/1.1  200 OK\r\n${length}`, "the status line is not that of HTTP/1"],
  [`http/1.1 200 OK\r\n${length}`, "the status line is not that of HTTP/1"],
  [`ICY 200 OK\r\n${length}`, "the status line is not that of HTTP/1"],
  [`${ok}${`x-a: ${"y".repeat(1000)}\r\n`.repeat(40)}${length}`, "the head is too long"],
  [
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
    "it changes the protocol",
  ],
  [`${chunked}zz\r\nabc\r\n0\r\n\r\n`, "a chunk has no size"],
  [`${chunked}\r\nabc\r\n0\r\n\r\n`, "a chunk has no size"],
  [`${chunked}-3\r\nabc\r\n0\r\n\r\n`, "a chunk has no size"],
  [`${chunked} 3\r\nabc\r\n0\r\n\r\n`, "a chunk has no size"],
  [`${chunked}0x3\r\nabc\r\n0\r\n\r\n`, "a chunk's size is not a number"],
  [`${chunked}3 \r\nabc\r\n0\r\n\r\n`, "a chunk's size is not a number"],
  [`${chunked}3\nabc\r\n0\r\n\r\n`, "a chunk's size is not a number"],
  [`${chunked}3\rabc\r\n0\r\n\r\n`, "it has a bare carriage return"],
  [`${chunked}ffffffffffffffffff\r\nabc\r\n0\r\n\r\n`, "a chunk is too large"],
  [`${chunked}2\r\nabc\r\n0\r\n\r\n`, "a chunk does not end where it says"],
  [`${chunked}4\r\nabc\r\n0\r\n\r\n`, "a chunk does not end where it says"],
  [`${chunked}3;x\ny\r\nabc\r\n0\r\n\r\n`, "a chunk's extension has a control character"],
  [`${chunked}3\r\nabc\r\n0\r\nx y: 1\r\n\r\n`, "a trailer's name is not a token"],
  [`${chunked}3\r\nabc\r\n0\r\nx: 1\n\r\n`, "a trailer's value has a control character"],
];

test("what breaks a rule is refused by both, and ours names the rule", async () => {
  for (const [wire, rule] of bothRefuse) {
    const [our, their] = await askBoth({ wire, cuts: [] });
    assert.ok(our.error instanceof HttpError, JSON.stringify(wire));
    assert.equal(our.error.message, rule, JSON.stringify(wire));
    assert.notEqual(their.error, null, JSON.stringify(wire));
  }
});

/** Where ours is stricter: undici answers, ours refuses. */
const stricter: [wire: string, rule: string][] = [
  [`\r\n${ok}${length}`, "the status line is not that of HTTP/1"],
  [`HTTP/2.0 200 OK\r\n${length}`, "the status line is not that of HTTP/1"],
  [`HTTP/0.9 200 OK\r\n${length}`, "the status line is not that of HTTP/1"],
  [`RTSP/1.0 200 OK\r\n${length}`, "the status line is not that of HTTP/1"],
  [`${ok}transfer-encoding: gzip, chunked\r\n\r\n${oneChunk}`, "the transfer encoding is not chunked"],
  [`${ok}transfer-encoding: gzip\r\n\r\nabc`, "the transfer encoding is not chunked"],
  [`${ok}transfer-encoding: chunked, gzip\r\n\r\nabc`, "the transfer encoding is not chunked"],
  [`${ok}transfer-encoding: identity\r\n\r\nabc`, "the transfer encoding is not chunked"],
  [`${ok}transfer-encoding: chunked\t\r\n\r\n${oneChunk}`, "a header of the framing has a tab"],
  [`HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${oneChunk}`, "HTTP/1.0 has no transfer encoding"],
  [`${chunked}3;${"x".repeat(1025)}\r\nabc\r\n0\r\n\r\n`, "a chunk's extension is too long"],
  [`${"HTTP/1.1 103 Hints\r\n\r\n".repeat(33)}${ok}${length}`, "it has too many informational answers"],
];

test("where undici is laxer, ours refuses", async () => {
  for (const [wire, rule] of stricter) {
    const [our, their] = await askBoth({ wire, cuts: [] });
    assert.equal(our.error?.message, rule, JSON.stringify(wire));
    assert.equal(their.error, null, `${JSON.stringify(wire)}: ${their.error?.message}`);
  }
});

/** What ours takes and undici does not. None of it moves the end of an answer. `sign`: how such an answer is known. */
const laxer: { name: string; wire: string; error: RegExp; sign: RegExp }[] = [
  {
    // A `100` without `Expect` may be ignored (RFC 9110, 15.2).
    name: "100 Continue",
    wire: `HTTP/1.1 100 Continue\r\n\r\n${ok}${length}`,
    error: /^bad response$/,
    sign: /HTTP\/1\.[01] 100/,
  },
  {
    // Closing the connection is for the final answer to say.
    name: "an informational answer that closes",
    wire: `HTTP/1.1 103 Hints\r\nconnection: close\r\n\r\n${ok}${length}`,
    error: /Data after `Connection: close`/,
    sign: /^HTTP\/1\.[01] 1/,
  },
  {
    // Extensions are dropped unread, so their grammar does not matter as long as their line ends where lines end.
    name: "an extension without a name",
    wire: `${chunked}3;:x\r\nabc\r\n0\r\n\r\n`,
    error: /Invalid character in chunk extensions/,
    sign: /\r\n[\da-fA-F]+;/,
  },
  {
    // So are trailers.
    name: "a trailer that would frame",
    wire: `${chunked}3\r\nabc\r\n0\r\ncontent-length: 7\r\n\r\n`,
    error: /Content-Length can't be present/,
    sign: /\r\n0+\r\n.*content-length/s,
  },
  {
    // Spaces around a value are not part of it.
    name: "a space behind the length",
    wire: `${ok}content-length: 3 \r\n\r\nabc`,
    error: /^Response body length does not match content-length header$/,
    sign: /content-length: *\d+ +\r/i,
  },
];

test("where ours is laxer, the answer is the same", async () => {
  for (const { name, wire, error, sign } of laxer) {
    const [our, their] = await askBoth({ wire, cuts: [] });
    assert.deepEqual([name, our.error, our.status, our.body], [name, null, 200, "abc"]);
    assert.match(their.error?.message ?? "", error, name);
    assert.match(wire, sign);
  }
});

const inserted = [
  "\r\n",
  "\n",
  "\r",
  " ",
  "\t",
  "\0",
  "\x7f",
  "\x80",
  ":",
  ";",
  "-",
  "0",
  "f",
  "content-length: 3\r\n",
  "transfer-encoding: chunked\r\n",
  "transfer-encoding: gzip, chunked\r\n",
  "connection: close\r\n",
  "0\r\n\r\n",
  "HTTP/1.1 200 OK\r\n\r\n",
  "HTTP/1.1 100 Continue\r\n\r\n",
];
const share = fc.integer({ min: 0, max: 9999 }).map((part) => part / 10_000);
const mutation = fc.record({
  at: share,
  inHead: fc.boolean(),
  drop: fc.constantFrom(0, 0, 0, 1, 2),
  insert: fc.constantFrom("", ...inserted),
});
/** A recorded answer with a few mistakes, in a few pieces. Without bias: numbers would be small ones, and places all at the beginning. */
const mutated = fc.noBias(
  fc
    .record({
      recorded: fc.constantFrom(...Object.values(recordedAnswers)),
      mutations: fc.array(mutation, { minLength: 1, maxLength: 2 }),
      cuts: fc.array(share, { maxLength: 3 }),
    })
    .map(({ recorded, mutations, cuts }): Script => {
      let wire = recorded;
      for (const { at, inHead, drop, insert } of mutations) {
        let place = Math.floor(at * (inHead ? wire.indexOf("\r\n\r\n") + 4 : wire.length));
        // A line goes between lines.
        if (insert.length > 2) place = wire.indexOf("\n", place) + 1;
        wire = wire.slice(0, place) + insert + wire.slice(place + drop);
      }
      const places = cuts.map((cut) => Math.floor(cut * wire.length));
      return { wire, cuts: places.sort((one, other) => one - other) };
    }),
);

const stricterRules = new Set(stricter.map(([, rule]) => rule));
test("recorded answers with mistakes in them: both the same, or a difference of the lists above", async () => {
  const scripts = fc.sample(mutated, 600);
  const seen = { same: 0, refused: 0, stricter: 0, laxer: 0 };
  let next = 0;
  const play = async () => {
    for (let script = scripts[next++]; script !== undefined; script = scripts[next++]) {
      const [our, their] = await askBoth(script);
      const about = `${JSON.stringify(script)}: ${our.error?.message} / ${their.error?.message}`;
      if (our.error === null && their.error === null) {
        assert.deepEqual(answerOf(our), answerOf(their), about);
        seen.same += 1;
      } else if (our.error === null) {
        const { message } = their.error!;
        assert.ok(
          laxer.some(({ error, sign }) => error.test(message) && sign.test(script.wire)),
          about,
        );
        seen.laxer += 1;
      } else if (their.error === null) {
        assert.ok(stricterRules.has(our.error.message), about);
        seen.stricter += 1;
      } else seen.refused += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, play));
  assert.ok(seen.same > 100 && seen.refused > 100 && seen.stricter > 0, JSON.stringify(seen));
});
