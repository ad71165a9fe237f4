// Clients that take their time: each holds a connection, and loses it when its time is over.

import { type Attack, spread, tally } from "./attack.ts";
import { poolKeyOf, secrets } from "./installation.ts";
import { head, type Line } from "./line.ts";
import type { Stage } from "./stage.ts";

const family = "slow clients";
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function openAll(stage: Stage, count: number): Promise<(Line | null)[]> {
  const lines: (Line | null)[] = [];
  await spread(count, 50, async (at) => {
    lines[at] = await stage.line();
  });
  return lines;
}

/** Connections that send this and then hardly anything; each must be closed within `limitMs`. */
function slow(
  name: string,
  expected: string,
  lines: number,
  start: string,
  drip: string,
  limitMs: number,
): Attack {
  return {
    family,
    name: `${lines} ${name}`,
    expected,
    short: false,
    async run(stage) {
      const it = tally();
      const open = await openAll(stage, lines);
      for (const wire of open) void wire?.write(start);
      let over = false;
      const dripping = (async () => {
        while (!over && drip !== "") {
          await pause(1_000);
          for (const wire of open) void wire?.write(drip);
        }
      })();
      const deadline = performance.now() + limitMs;
      await Promise.all(
        open.map(async (wire) => {
          if (wire === null) return it.add("refused");
          const closed = await wire.closed(Math.max(0, deadline - performance.now()));
          const status = wire.statuses()[0];
          it.add(
            closed ? `closed${status === undefined ? "" : ` (${status})`}` : "open",
            !closed && "still open",
          );
          wire.end();
        }),
      );
      over = true;
      await dripping;
      return it;
    },
  };
}

const key = `Api-key: ${secrets.ourKey}`;
const length = "Content-Length: 1000";
const jsonType = "Content-Type: application/json";

/** Streams whose readers take nothing. */
const unreadStreams: Attack = {
  family,
  name: "100 streams that no client reads",
  expected: "bounded memory, others are served",
  short: false,
  async run(stage) {
    const it = tally();
    const body = JSON.stringify({
      stream: true,
      messages: [{ role: "user", content: "flood" }],
    });
    const lines = [
      `Authorization: Bearer ${poolKeyOf("endless-stream")}`,
      jsonType,
      `Content-Length: ${body.length}`,
    ];
    const open = await openAll(stage, 100);
    for (const wire of open) {
      wire?.socket.pause();
      void wire?.write(head("POST", "/api/ai/v1/chat/completions", lines) + body);
      it.add(wire === null ? "refused" : "open");
    }
    await pause(10_000);
    for (const wire of open) wire?.end();
    return it;
  },
};

export const slowAttacks: readonly Attack[] = [
  slow("silent connections", "closed within 15 s", 500, "", "", 25_000),
  slow(
    "slow heads",
    "closed within 15 s",
    500,
    "GET /health/live HTTP/1.1\r\nHost: x\r\n",
    "X: y\r\n",
    25_000,
  ),
  slow(
    "slow bodies",
    "408 within 35 s",
    500,
    head("POST", "/api/sms/send", [key, jsonType, length]),
    "x",
    45_000,
  ),
  slow(
    "slow callbacks",
    "408 within 35 s",
    200,
    head("POST", "/callbacks/mailgun-ours", [length]),
    "x",
    45_000,
  ),
  unreadStreams,
];
