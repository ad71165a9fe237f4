// Requests over kept connections to a peer that damages its answers: each caller gets an answer to its own request, or an error.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { turn } from "../../asking.ts";
import { ourClient } from "./collecting.ts";
import { recordedAnswers } from "./recorded-answers.ts";

/** In the head of every answer, and in every answer that is planted behind one. Twice, so that a damaged mark is no other mark. */
const markOf = (serial: number) => `<${`${serial}`.padStart(6, "0").repeat(2)}>`;
const marks = /<(\d{6})\1>/g;

const planted = "HTTP/1.1 200 OK\r\nx-mark: MARK\r\ncontent-length: 2\r\n\r\nno";
const insertions = [
  planted,
  `\r\n${planted}`,
  `0\r\n\r\n${planted}`,
  `HTTP/1.1 204 No Content\r\nx-mark: MARK\r\ncontent-length: ${planted.length}\r\n\r\n${planted}`,
  "content-length: 1\r\n",
  "transfer-encoding: chunked\r\n",
  "\r\n",
  "0",
  "9",
  " ",
];
const share = fc.integer({ min: 0, max: 9999 }).map((part) => part / 10_000);
const damaged = fc.noBias(
  fc
    .record({
      recorded: fc.constantFrom(...Object.values(recordedAnswers)),
      /** Behind the answer, or somewhere in it. */
      isBehind: fc.boolean(),
      isWhole: fc.boolean(),
      at: share,
      drop: fc.constantFrom(0, 0, 1, 2),
      insertion: fc.constantFrom(...insertions),
    })
    .map(({ recorded, isBehind, isWhole, at, drop, insertion }) => {
      const marked = recorded.replaceAll(/^(HTTP\/1\.[01] .*\r\n)/gm, "$1x-mark: MARK\r\n");
      if (isWhole) return { wire: marked, behind: "" };
      if (isBehind) return { wire: marked, behind: insertion };
      const found = Math.floor(at * marked.length);
      // A line goes between lines.
      const place = insertion.length > 2 ? marked.indexOf("\n", found) + 1 : found;
      return { wire: marked.slice(0, place) + insertion + marked.slice(place + drop), behind: "" };
    }),
);

test("600 damaged answers on kept connections: no caller gets any of another's", async (context) => {
  const answers = fc.sample(damaged, 600);
  const sockets = new Map<number, Socket>();
  const write = (serial: number, text: string) =>
    sockets.get(serial)?.write(Buffer.from(text.replaceAll("MARK", markOf(serial)), "latin1"));
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      const serial = Number(/^GET \/(\d+) /.exec(bytes.toString("latin1"))![1]);
      const { wire, behind } = answers[serial]!;
      sockets.set(serial, socket);
      write(serial, serial % 2 === 0 ? wire + behind : wire);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = ourClient(60_000);
  context.after(async () => {
    await client.close();
    for (const socket of sockets.values()) socket.destroy();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seen = { answers: 0, errors: 0 };
  for (const [serial, script] of answers.entries()) {
    let isOver = false;
    const asked = client.ask(origin, `/${serial}`).finally(() => (isOver = true));
    // What is complete has arrived after some turns; anything else waits for more.
    for (let turns = 0; turns < 20 && !isOver; turns += 1) await turn();
    while (!isOver && sockets.get(serial) === undefined) await turn();
    if (!isOver) sockets.get(serial)?.end();
    const { error, headers, body } = await asked;
    if (error === null) seen.answers += 1;
    else seen.errors += 1;
    const found = [...`${JSON.stringify(headers)}${body}`.matchAll(marks)].map(([mark]) => mark);
    assert.deepEqual(
      found.filter((mark) => mark !== markOf(serial)),
      [],
      JSON.stringify(script),
    );
    await turn();
    // It is on its way when the next request is made, in this turn.
    if (serial % 2 === 1 && !sockets.get(serial)!.destroyed) write(serial, script.behind);
  }
  assert.ok(seen.answers > 200 && seen.errors > 50, JSON.stringify(seen));
  assert.ok(connections < 500, `${connections} connections: none was used again`);
});
