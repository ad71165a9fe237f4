// Requests whose framing is read in two ways, and bytes behind a body. Nothing is smuggled: one request has at most
// one answer that is a success, and what was accepted was answered so.

import { jsonOf } from "./ask.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { apiKey, secrets } from "./installation.ts";
import { head } from "./line.ts";

const family = "framing";
const key = `Api-key: ${secrets.ourKey}`;
const jsonType = "Content-Type: application/json";

/** What a front server would take for a part of the body, and we must not take for a request. */
const smuggled = head("GET", "/api/account", [key]);
const body = JSON.stringify({ contact: [{ number: "+15550000001", message: "framed" }] });
const chunkedBody = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const post = (...lines: string[]) => head("POST", "/api/sms/send", [key, jsonType, ...lines]);
const get = (...lines: string[]) => head("GET", "/api/account", [key, ...lines]);
const own = `Content-Length: ${body.length}`;

/** Bytes; more than one success, a success that is not among the given statuses, or a 5xx is a fault. */
const malformed: Record<string, string> = {
  "two lengths": post(own, `Content-Length: ${body.length + smuggled.length}`) + body + smuggled,
  "a list of lengths": post(`Content-Length: ${body.length}, ${body.length}`) + body,
  "length and chunked": post(own, "Transfer-Encoding: chunked") + chunkedBody + smuggled,
  "chunked and length": post("Transfer-Encoding: chunked", own) + chunkedBody + smuggled,
  "length 0 and chunked": post("Content-Length: 0", "Transfer-Encoding: chunked") + chunkedBody,
  "a signed length": post(`Content-Length: +${body.length}`) + body,
  "a negative length": post("Content-Length: -1") + body,
  "a hexadecimal length": post(`Content-Length: 0x${body.length.toString(16)}`) + body,
  "a huge length": post("Content-Length: 99999999999999999999") + body,
  "a length with a blank inside": post(`Content-Length: ${body.length} 0`) + body,
  "a length that is a word": post("Content-Length: many") + body,
  "blank before the colon": post(`Content-Length : ${body.length}`) + body,
  "chunked spelt x-chunked": post("Transfer-Encoding: xchunked") + chunkedBody,
  "chunked with a tab": post("Transfer-Encoding:\tchunked, identity") + chunkedBody,
  "chunked twice": post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + chunkedBody + smuggled,
  "chunked not last": post("Transfer-Encoding: chunked, gzip") + chunkedBody,
  "encoding gzip": post("Transfer-Encoding: gzip") + body,
  "vertical tab before chunked": post("Transfer-Encoding:\u000bchunked") + chunkedBody,
  "a folded encoding": post("Transfer-Encoding:\r\n chunked") + chunkedBody,
  "line feeds alone": post(own).replaceAll("\r\n", "\n") + body,
  "carriage returns alone": post(own).replaceAll("\r\n", "\r") + body,
  "a chunk size with a sign": `${post("Transfer-Encoding: chunked")}+${chunkedBody}`,
  "a chunk size that overflows": `${post("Transfer-Encoding: chunked")}fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`,
  "a negative chunk size": `${post("Transfer-Encoding: chunked")}-1\r\n${body}\r\n0\r\n\r\n`,
  "a chunk longer than said": `${post("Transfer-Encoding: chunked")}5\r\n${body}\r\n0\r\n\r\n`,
  "a chunk without its end": `${post("Transfer-Encoding: chunked")}${body.length.toString(16)}\r\n${body}0\r\n\r\n`,
  "a chunk extension of 20 KB": `${post("Transfer-Encoding: chunked")}5;x=${"y".repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
  "a bare line feed in an extension": `${post("Transfer-Encoding: chunked")}5;\nhello\r\n0\r\n\r\n`,
  "a NUL in a header": get("X: a\0b"),
  "a line feed in a header": get("X: a\nApi-key: x"),
  "a header without a name": get(": x"),
  "a header without a colon": get("nonsense"),
  "a blank in a header's name": get("X Y: z"),
  "a head that is folded": get("X: a\r\n b"),
  "headers of 20 KB": get(`X: ${"y".repeat(20_000)}`),
  "3,000 headers": get(...Array.from({ length: 3_000 }, (_, at) => `X-${at}: y`)),
  "a URL of 20 KB": head("GET", `/api/account?x=${"y".repeat(20_000)}`, [key]),
  "a blank in the URL": `GET /api/account /x HTTP/1.1\r\nHost: x\r\n${key}\r\n\r\n`,
  "HTTP/0.9": "GET /api/account\r\n\r\n",
  "HTTP/1.1 twice": get().replace("HTTP/1.1", "HTTP/1.1 HTTP/1.1"),
  "the HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "no method": " /api/account HTTP/1.1\r\nHost: x\r\n\r\n",
  "TLS bytes": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "no host": `GET /api/account HTTP/1.1\r\n${key}\r\n\r\n`,
  "two hosts": get("Host: y"),
  "two equal hosts": get("Host: x"),
  "two authorizations": head("GET", "/api/ai/v1/models", [
    `Authorization: Bearer ${secrets.poolKey}`,
    "Authorization: Bearer x",
  ]),
  "two management tokens": head("GET", "/api/manage/v1/session", [
    `Authorization: Bearer ${secrets.operator}`,
    `Authorization: Bearer ${secrets.member}`,
  ]),
};

/** Odd, and answered as any other: at most one success. */
const odd: Record<string, string> = {
  CONNECT: head("CONNECT", "127.0.0.1:22"),
  upgrade: get(
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Key: x",
    "Sec-WebSocket-Version: 13",
  ),
  "upgrade to h2c": get(
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAAQAAP__",
  ),
  TRACE: head("TRACE", "/api/account", [key]),
  "absolute form": head("GET", "http://evil.example/api/account", [key]),
  "another scheme": head("GET", "ftp://evil.example/api/account", [key]),
  "HTTP/2.0 in an HTTP/1 head": get().replace("HTTP/1.1", "HTTP/2.0"),
  asterisk: head("OPTIONS", "*"),
  "a GET with a body that is a request":
    head("GET", "/health/live", [`Content-Length: ${smuggled.length}`]) + smuggled,
  "expect what is not known": post("Expect: the-unexpected", own) + body,
  "trailers with a key":
    head("POST", "/api/sms/send", [jsonType, "Transfer-Encoding: chunked", "Trailer: Api-key"]) +
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n${key}\r\n\r\n`,
};

/** These must be 400, by the contract. */
const mustBe400 = new Set(["two hosts", "two equal hosts", "two authorizations", "two management tokens"]);

const readings: Attack = {
  family,
  name: "framing in two readings",
  expected: "4xx or one answer, never a second success; two Host or Authorization: 400",
  short: true,
  async run(stage) {
    const it = tally();
    const cases = [
      ...Object.entries(malformed).map(([label, bytes]) => [label, bytes, true] as const),
      ...Object.entries(odd).map(([label, bytes]) => [label, bytes, false] as const),
    ];
    await spread(cases.length, 8, async (at) => {
      const [label, bytes, bad] = cases[at]!;
      const wire = await stage.line();
      if (wire === null) return it.fault("no connection");
      await wire.write(Buffer.from(bytes, "latin1"));
      await wire.until(/HTTP\/1\.1 \d{3}/, 3_000);
      // A second answer would follow at once.
      await wire.closed(150);
      const statuses = wire.statuses();
      wire.end();
      const good = statuses.filter((status) => status < 300).length;
      let fault: string | null = null;
      if (statuses.some((status) => status >= 500 && status !== 505)) fault = "a 5xx";
      else if (good > 1) fault = "smuggled";
      else if (mustBe400.has(label) && statuses[0] !== 400) fault = "not refused";
      else if (bad && good > 0 && !lenient.has(label)) fault = "accepted";
      it.add(statuses.join("+") || "closed", fault && `${label}: ${fault} (${statuses.join(", ")})`);
    });
    return it;
  },
};

/** Spellings that RFC 9112 lets a server read, and Node does, in one way only. */
const lenient = new Set(["chunked with a tab", "HTTP/0.9"]);

/** Bytes behind a body. `\r\n` is what old clients send, and is let pass. */
const tails = [
  "}",
  "garbage",
  " ",
  "\0",
  "\n",
  "\r\n",
  "\r\n\r\n",
  "GET",
  "BAD REQUEST\r\n\r\n",
  "\x80\xff",
  "0\r\n\r\n",
  "POST /api/sms/send HTTP/1.1\r\nContent-Length: x\r\n\r\n",
];

const tail: Attack = {
  family,
  name: "bytes behind a body",
  expected: "an accepted send is answered 200, a 4xx accepted nothing",
  short: true,
  async run(stage, size) {
    const it = tally();
    const rounds = size === "whole" ? 6 : 2;
    const list = Array.from({ length: rounds }, () => tails).flat();
    await spread(list.length, 4, async (at) => {
      const marker = `tail-${at}-${Math.random().toString(36).slice(2)}`;
      const own = JSON.stringify({ contact: [{ number: "+15550000001", message: marker }] });
      const wire = await stage.line();
      if (wire === null) return it.fault("no connection");
      const request = post(`Content-Length: ${own.length}`) + own;
      // In one packet, or while the request is at work.
      if (at % (2 * tails.length) < tails.length)
        await wire.write(Buffer.from(request + list[at]!, "latin1"));
      else {
        await wire.write(request);
        await wire.write(Buffer.from(list[at]!, "latin1"));
      }
      await wire.until(/HTTP\/1\.1 \d{3}/, 5_000);
      await wire.closed(100);
      const first = wire.statuses()[0] ?? 0;
      wire.end();
      const listed = await stage.ask({ path: "/api/get/sms?limit=200", headers: apiKey(secrets.ourKey) });
      const stored = ((jsonOf(listed)?.data ?? []) as { message: string }[]).some(
        ({ message }) => message === marker,
      );
      const shown = JSON.stringify(list[at]);
      it.add(
        `${first}${stored ? " stored" : ""}`,
        (first === 200) !== stored && `${shown}: answered ${first}, ${stored ? "stored" : "not stored"}`,
      );
    });
    return it;
  },
};

export const framingAttacks: readonly Attack[] = [readings, tail];
