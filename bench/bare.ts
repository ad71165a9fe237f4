// What a bare `node:http` server reaches with the requests of `single`, on the core that the service gets: the scale for
// the service's own figures. Measured once a run, the first time that a measure asks for it.

import { expectClean, type Figure, figure, perSecond } from "./figure.ts";
import type { JobResult } from "./job.ts";
import { apiKey, heldGateway, startPeer } from "./stage.ts";

let measured: Promise<number> | null = null;

/** Requests a second, from 64 connections over 8 s, after 3 s of warming up. */
export function bareRate(): Promise<number> {
  measured ??= measureBare();
  return measured;
}

async function measureBare(): Promise<number> {
  const [server, client] = await Promise.all([
    startPeer("./bare-server.ts", "0"),
    startPeer("./load-client.ts"),
  ]);
  try {
    const job = {
      ask: { kind: "single", gateway: heldGateway, scheduleAt: null },
      host: "127.0.0.1",
      port: server.port,
      apiKey,
      connections: 64,
      requests: Infinity,
      restMs: 0,
      durationMs: 8000,
      warmupMs: 3000,
    };
    const result = await client.ask<JobResult>({ job });
    expectClean(result);
    return result.perSecond;
  } finally {
    server.stop();
    client.stop();
  }
}

/** The row that says which share of the bare server's rate `rate` is. */
export async function shareOfBare(rate: number, goal: number): Promise<Figure> {
  const bare = await bareRate();
  const share = rate / bare;
  return figure(
    `  of a bare node:http server's ${perSecond(bare)}`,
    share.toFixed(2),
    `≥ ${goal.toFixed(2)}`,
    share >= goal,
  );
}

/** The row that says how many requests the bare server answers in the time `elapsedMs`. */
export async function bareRequestsIn(elapsedMs: number, max: number): Promise<Figure> {
  const requests = Math.round(((await bareRate()) * elapsedMs) / 1000);
  return figure(
    "  the bare server's requests in that time",
    requests.toLocaleString("en-US"),
    `≤ ${max.toLocaleString("en-US")}`,
    requests <= max,
  );
}
