// Bodies that cost more to read than to send: with no key in front, and with one.

import { type Attack, spread, type Tally, tally } from "./attack.ts";
import { apiKey, secrets } from "./installation.ts";
import { head } from "./line.ts";
import type { Stage } from "./stage.ts";

const family = "bodies";
const mib = 1024 * 1024;
/** The contract's longest JSON body. */
const maxBytes = 32 * mib;

const formType = ["Content-Type", "application/x-www-form-urlencoded"] as const;
const jsonType = ["Content-Type", "application/json"] as const;

/** So many fields without `=`, and then one long name: looking for the next `=` walks to the end for each. */
function fieldsWithoutEquals(): Buffer {
  const fields = "a&".repeat(79_000);
  return Buffer.from(fields + "b".repeat(maxBytes - fields.length - 1024));
}

/** So many plus signs, each of which becomes a space. */
const pluses = (bytes: number) => `a=${"+".repeat(bytes - 100)}`;

const emptyObjects = () => `{"a":[${"{},".repeat(Math.floor((maxBytes - 100) / 3))}{}]}`;
const emptyMessages = () =>
  `{"model":"echo","messages":[${"{},".repeat(Math.floor((maxBytes - 100) / 3))}{}]}`;
/** An attached file whose base64 has a line end behind each character. */
const shortLines = () =>
  `{"contact":[],"attachments":[{"filename":"a.txt","content":"${"A\\n".repeat((maxBytes - 1024) / 3)}"}]}`;
const manyNames = () => {
  const names: string[] = [];
  for (let at = 0, size = 0; size < maxBytes - 200; at += 1) {
    names.push(`"k${at}":0`);
    size += names[at]!.length + 1;
  }
  return `{${names.join()}}`;
};

type Header = readonly [string, string];

interface Body {
  path?: string;
  headers: readonly Header[];
  make(): string | Buffer;
  /** Statuses that are right. */
  statuses: readonly number[];
}

/** Posts one body after another; each must be answered in the given way. */
function posts(name: string, expected: string, short: boolean, bodies: Record<string, Body>): Attack {
  return {
    family,
    name,
    expected,
    short,
    async run(stage) {
      const it = tally();
      for (const [label, { path = "/api/sms/send", headers, make, statuses }] of Object.entries(bodies)) {
        const { status, text } = await stage.ask({
          path,
          headers,
          body: make(),
          method: "POST",
          timeoutMs: 200_000,
        });
        // A refusal may reach a client that is still writing as a broken connection; the process goes on.
        const right =
          statuses.includes(status) || (status === 0 && stage.ended() === null && text === "EPIPE");
        it.add(status, !right && `${label}: ${status} ${text.slice(0, 200)}`);
      }
      return it;
    },
  };
}

const own = apiKey(secrets.ourKey);
const pool: Header = ["Authorization", `Bearer ${secrets.poolKey}`];

const withoutKey = posts("2 and 32 MiB without a key in front", "403, and 413 over 2 MiB", true, {
  "fields without =": { headers: [formType], make: fieldsWithoutEquals, statuses: [413, 403] },
  "empty objects": { headers: [jsonType], make: emptyObjects, statuses: [413, 403] },
  pluses: { headers: [formType], make: () => pluses(2 * mib), statuses: [403] },
  "one text": { headers: [jsonType], make: () => `"${"x".repeat(maxBytes - 100)}"`, statuses: [413, 403] },
});

const withKey = posts("32 MiB with a key", "400 over 500,000 values; else the usual answer", true, {
  "fields without =": { headers: [formType, ...own], make: fieldsWithoutEquals, statuses: [400, 413, 422] },
  pluses: { headers: [formType, ...own], make: () => pluses(maxBytes), statuses: [422] },
  "short lines of base64": {
    headers: [jsonType, ...own],
    path: "/api/email/send",
    make: shortLines,
    statuses: [422],
  },
  "empty objects": { headers: [jsonType, ...own], make: emptyObjects, statuses: [400] },
  "many names": { headers: [jsonType, ...own], make: manyNames, statuses: [400] },
  brackets: { headers: [jsonType, ...own], make: () => "[".repeat(maxBytes - 100), statuses: [400] },
});

const prompts = posts("32 MiB with a pool key", "400 over 500,000 values", true, {
  "empty messages": {
    path: "/api/ai/v1/chat/completions",
    headers: [jsonType, pool],
    make: emptyMessages,
    statuses: [400],
  },
  "depth of 300": {
    path: "/api/ai/v1/chat/completions",
    headers: [jsonType, pool],
    make: () => `{"messages":${"[".repeat(300)}${"]".repeat(300)}}`,
    statuses: [400],
  },
  "model twice": {
    path: "/api/ai/v1/chat/completions",
    headers: [jsonType, pool],
    make: () => '{"model":"echo","mod\\u0065l":"x","messages":[{"role":"user","content":"Hi"}]}',
    statuses: [400],
  },
  "100 MB": {
    path: "/api/ai/v1/chat/completions",
    headers: [jsonType, pool],
    make: () => `{"messages":[{"role":"user","content":"${"x".repeat(100_000_000)}"}]}`,
    statuses: [413],
  },
});

/** One byte a chunk: six on the wire. */
const oneByteChunks: Attack = {
  family,
  name: "bodies in chunks of one byte",
  expected: "413, 400, 403 or 503, and bounded memory",
  short: true,
  async run(stage, size) {
    const it = tally();
    const max = size === "whole" ? 40 * mib : 12 * mib;
    const block = Buffer.from("1\r\nx\r\n".repeat(10_000));
    const heads = [
      head("POST", "/api/sms/send", ["Content-Type: application/json", "Transfer-Encoding: chunked"]),
      head("POST", "/api/sms/send", [
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
        `Api-key: ${secrets.ourKey}`,
      ]),
      head("POST", "/api/email/send", [
        "Content-Type: multipart/form-data; boundary=XX",
        "Transfer-Encoding: chunked",
        `Api-key: ${secrets.ourKey}`,
      ]),
      head("POST", "/callbacks/mailgun-ours", [
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
      ]),
    ];
    await spread(heads.length, heads.length, async (at) => {
      const wire = await stage.line();
      if (wire === null) return it.fault("no connection");
      await wire.write(heads[at]!);
      for (let sent = 0; sent < max && !(await wire.closed(0)) && wire.bytes() === 0; sent += block.length)
        await wire.write(block);
      await wire.write("0\r\n\r\n");
      const answered = await wire.until(/HTTP\/1\.1 \d{3}/, 40_000);
      const status = wire.statuses()[0] ?? 0;
      it.add(
        status,
        (answered ? status < 400 || status === 500 : stage.ended() !== null) && `${at}: ${status}`,
      );
      wire.end();
    });
    return it;
  },
};

/** The service waits so long for a body, and then answers 408 (`body` of `src/http/app.ts`). */
const bodyLimitMs = 30_000;

/** Bodies that are sent but for their end, and held. */
async function hold(
  stage: Stage,
  it: Tally,
  lines: number,
  bytes: number,
  more: readonly string[],
): Promise<void> {
  const piece = Buffer.alloc(mib, "x");
  const open = await Promise.all(Array.from({ length: lines }, () => stage.line()));
  await spread(lines, lines, async (at) => {
    const wire = open[at]!;
    if (wire === null) return it.fault("no connection");
    const began = performance.now();
    const length = `Content-Length: ${bytes + 1}`;
    await wire.write(head("POST", "/api/sms/send", ["Content-Type: application/json", length, ...more]));
    for (let sent = 0; sent < bytes && wire.bytes() === 0 && !(await wire.closed(0)); sent += piece.length)
      await wire.write(piece.subarray(0, Math.min(piece.length, bytes - sent)));
    // Held: no answer yet. Else refused.
    await wire.until(/HTTP\/1\.1 \d{3}/, 3_000);
    const status = wire.statuses()[0];
    // On a busy machine the sending alone may take longer than the service waits.
    const overdue = status === 408 && performance.now() - began >= bodyLimitMs;
    const right = status === undefined || [403, 413, 503].includes(status) || overdue;
    it.add(status ?? "held", !right && `${status} for a body that has not ended`);
    if (status === 503 && !/retry-after: \d/i.test(wire.received())) it.fault("503 without Retry-After");
  });
  for (const wire of open) wire?.end();
}

const held: Attack = {
  family,
  name: "100 bodies held before their end",
  expected: "413 or held without a key; 503 + Retry-After beyond the budget",
  short: false,
  async run(stage) {
    const it = tally();
    await hold(stage, it, 100, 31 * mib, []);
    await hold(stage, it, 100, 2 * mib - 1024, []);
    await hold(stage, it, 100, 31 * mib, [`Api-key: ${secrets.ourKey}`]);
    return it;
  },
};

const heldShort: Attack = {
  ...held,
  name: "40 bodies held before their end",
  short: true,
  async run(stage) {
    const it = tally();
    await hold(stage, it, 40, 31 * mib, []);
    await hold(stage, it, 20, 31 * mib, [`Api-key: ${secrets.ourKey}`]);
    return it;
  },
};

/** So many contacts with a text of so many characters, each of which takes two bytes in JSON and in V8. */
const cyrillicSend = (contacts: number, characters: number) => {
  const text = "д".repeat(characters);
  const contact = Array.from({ length: contacts }, (_, at) => ({
    number: `+4915112${String(at).padStart(6, "0")}`,
    message: text,
  }));
  return Buffer.from(JSON.stringify({ contact }));
};

/** Valid sends of 28 MB by a holder of a key: one at a time, then four at once. */
const longTexts: Attack = {
  family,
  name: "28 MB sends of long Cyrillic texts",
  expected: "200, or 503 beyond the budget",
  short: false,
  fillsWriter: true,
  async run(stage) {
    const it = tally();
    const body = cyrillicSend(230, 60_000);
    const send = async () => {
      const { status, text } = await stage.ask({
        path: "/api/sms/send",
        headers: [jsonType, ...own],
        body,
        timeoutMs: 200_000,
      });
      const right = status === 200 || status === 503 || (status === 0 && text === "EPIPE");
      it.add(status, !right && `${status} ${text.slice(0, 200)}`);
    };
    for (let count = 0; count < 5; count += 1) await send();
    await spread(28, 4, send);
    return it;
  },
};

const part = (disposition: string, body: string) =>
  `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${body}\r\n`;

/** Forms whose shape is the work, of up to this many bytes. */
function forms(bytes: number): Record<string, string> {
  const repeated = (piece: string) => piece.repeat(Math.floor(bytes / piece.length));
  return {
    parts: repeated(part('name="x"', "")),
    files: repeated(part('name="attachments[]"; filename="a.txt"', "x")),
    quotes: part(`name="${'\\"'.repeat(bytes / 2)}"`, "x"),
    blanks: `--XX\r\nContent-Disposition: form-data;${" ".repeat(bytes)}name="x"\r\n\r\nx\r\n`,
    semicolons: `--XX\r\nContent-Disposition: form-data${";a=b".repeat(bytes / 4)}\r\n\r\nx\r\n`,
    headers: `--XX\r\n${"X-A: b\r\n".repeat(bytes / 8)}\r\nx\r\n`,
    "near boundaries": part('name="x"', "\r\n--X".repeat(bytes / 5)),
    dashes: part('name="x"', "-".repeat(bytes)),
    "deep names": repeated(part(`name="contact${"[0]".repeat(30)}"`, "x")),
  };
}

const multipart: Attack = {
  family,
  name: "multipart shapes",
  expected: "4xx, and bounded time",
  short: true,
  async run(stage, size) {
    const it = tally();
    for (const [label, text] of Object.entries(forms(size === "whole" ? 31 * mib : 2 * mib))) {
      const { status } = await stage.ask({
        path: "/api/email/send",
        headers: [...own, ["Content-Type", "multipart/form-data; boundary=XX"]],
        body: `${text}--XX--\r\n`,
        timeoutMs: 120_000,
      });
      it.add(
        status,
        (status < 400 || status >= 500) && !(status === 0 && stage.ended() === null) && `${label}: ${status}`,
      );
    }
    return it;
  },
};

/** HTML whose rewriting (links, pixel, text part) is the work. */
function htmls(bytes: number): Record<string, string> {
  const repeated = (piece: string) => piece.repeat(Math.floor(bytes / piece.length));
  return {
    "open tags": repeated("<a href="),
    nested: `${repeated("<div>")}`,
    links: repeated('<a href="http://a.test/b">x</a>'),
    entities: repeated("&amp"),
    comments: repeated("<!--"),
    "lines of 76": repeated(`${"x".repeat(75)}\n`),
    "blank runs": `<p>${" ".repeat(bytes)}x</p>`,
  };
}

const html: Attack = {
  family,
  name: "HTML mails of worst cases",
  expected: "200 or 422, and bounded time",
  short: false,
  async run(stage) {
    const it = tally();
    for (const [label, text] of Object.entries(htmls(4 * mib))) {
      const { status } = await stage.ask({
        path: "/api/email/send",
        headers: own,
        body: {
          contact: [
            { email: "a@example.com", subject: "x", message: `<p>${text}`, gateway_identifier: "smtp-ours" },
          ],
        },
      });
      it.add(status, status !== 200 && status !== 422 && `${label}: ${status}`);
    }
    // The work is done when the mails go out.
    const mails = it.counts.get("200") ?? 0;
    const deadline = Date.now() + 60_000;
    while ((await stage.seenByPeers()).returnPaths.length < mails && Date.now() < deadline)
      await new Promise((later) => setTimeout(later, 200));
    const out = (await stage.seenByPeers()).returnPaths.length;
    if (out < mails) it.fault(`${out} of ${mails} mails went out`);
    return it;
  },
};

export const bodyAttacks: readonly Attack[] = [
  withoutKey,
  withKey,
  prompts,
  oneByteChunks,
  held,
  heldShort,
  longTexts,
  multipart,
  html,
];
