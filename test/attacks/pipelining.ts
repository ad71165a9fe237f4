// Requests one behind the other on a connection whose answers are read late, or never.

import { type Attack, spread, tally } from "./attack.ts";
import { secrets } from "./installation.ts";
import { head, type Line } from "./line.ts";
import type { Stage } from "./stage.ts";

const family = "pipelining";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Connections that ask so many times each and read nothing for as long as `heldMs`. */
async function unread(stage: Stage, lines: number, each: number, request: string, heldMs: number) {
  const it = tally();
  const open: Line[] = [];
  await spread(lines, 50, async () => {
    const wire = await stage.line();
    if (wire === null) return it.add("refused");
    wire.socket.pause();
    open.push(wire);
    // Not waited for: the service may stop reading.
    void wire.write(request.repeat(each));
    it.add("open");
  });
  await pause(heldMs);
  for (const wire of open) wire.end();
  return it;
}

const document: Attack = {
  family,
  name: "unread answers of /openapi.json",
  expected: "the process lives, bounded memory",
  short: true,
  run: (stage, size) =>
    size === "whole"
      ? unread(stage, 300, 50, head("GET", "/openapi.json"), 12_000)
      : unread(stage, 30, 100, head("GET", "/openapi.json"), 2_000),
};

const page: Attack = {
  family,
  name: "unread answers of /docs and /health/live",
  expected: "the process lives, bounded memory",
  short: false,
  async run(stage) {
    const docs = await unread(stage, 150, 50, head("GET", "/docs"), 4_000);
    const live = await unread(stage, 150, 1_000, head("GET", "/health/live"), 4_000);
    for (const [outcome, count] of live.counts) for (let at = 0; at < count; at += 1) docs.add(outcome);
    return docs;
  },
};

/** Lists of long messages: a large answer for a holder of a key. */
const lists: Attack = {
  family,
  name: "unread lists of 200 long messages",
  expected: "the process lives, bounded memory",
  short: false,
  async run(stage) {
    const contact = Array.from({ length: 200 }, (_, at) => ({
      number: `+1555000${String(at).padStart(4, "0")}`,
      message: "long ".repeat(4_000),
    }));
    const headers = [["Api-key", secrets.ourKey]] as const;
    const { status } = await stage.ask({ path: "/api/sms/send", headers, body: { contact } });
    const request = head("GET", "/api/get/sms?limit=200", [`Api-key: ${secrets.ourKey}`]);
    const it = await unread(stage, 100, 20, request, 8_000);
    if (status !== 200) it.fault(`the messages to be listed: ${status}`);
    return it;
  },
};

const small: Attack = {
  family,
  name: "5,000 pipelined requests that are read",
  expected: "an answer each, in order",
  short: false,
  async run(stage) {
    const it = tally();
    await spread(10, 10, async () => {
      const wire = await stage.line();
      if (wire === null) return it.fault("no connection");
      await wire.write(
        head("GET", "/health/live").repeat(499) + head("GET", "/health/live", ["Connection: close"]),
      );
      await wire.closed(30_000);
      const statuses = wire.statuses();
      for (const status of statuses) it.add(status, status !== 200 && `${status}`);
      if (statuses.length !== 500) it.fault(`${statuses.length} answers to 500 requests`);
      wire.end();
    });
    return it;
  },
};

const sends: Attack = {
  family,
  name: "pipelined sends",
  expected: "200 each, and each is stored once",
  short: true,
  async run(stage, size) {
    const it = tally();
    const count = size === "whole" ? 200 : 30;
    const wire = await stage.line();
    if (wire === null) {
      it.fault("no connection");
      return it;
    }
    const requests = Array.from({ length: count }, (_, at) => {
      const body = JSON.stringify({ contact: [{ number: "+15550000001", message: `pipelined ${at}` }] });
      const lines = [
        `Api-key: ${secrets.ourKey}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
      ];
      return (
        head("POST", "/api/sms/send", [...lines, ...(at === count - 1 ? ["Connection: close"] : [])]) + body
      );
    });
    await wire.write(requests.join(""));
    await wire.closed(60_000);
    for (const status of wire.statuses()) it.add(status, status !== 200 && `${status}`);
    if (it.inputs !== count) it.fault(`${it.inputs} answers to ${count} sends`);
    const ids = new Set([...wire.received().matchAll(/"id":"(msg_\w+)"/g)].map(([, id]) => id));
    if (ids.size !== count) it.fault(`${ids.size} messages of ${count} sends`);
    wire.end();
    return it;
  },
};

export const pipeliningAttacks: readonly Attack[] = [document, page, lists, small, sends];
