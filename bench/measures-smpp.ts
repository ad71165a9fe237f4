// The measurement of SMPP: a backlog over one bind with a window of 10, to an SMSC that answers after a millisecond.

import { at, cpuMs, ratesOf, untilArrived } from "./backlog.ts";
import { expectClean, figure, type Measure, onStage, perSecond } from "./figure.ts";
import type { Arrivals } from "./provider.ts";
import { account, type Stage, startPeer } from "./stage.ts";

const contacts = 10_000;
const backlog = process.argv.includes("--short") ? 10_000 : 60_000;
const gateway = "bench-smpp";
const goal = 3000;

const smppAccount = (port: number): object =>
  account([
    {
      identifier: gateway,
      channel: "sms",
      kind: "smpp",
      default: true,
      pace: { concurrency: 10 },
      settings: { host: "127.0.0.1", port, system_id: "bench", password: "bench", window: 10 },
    },
  ]);

async function enqueue(stage: Stage, server: Parameters<Stage["run"]>[0], dueAt: number): Promise<void> {
  const result = await stage.run(server, {
    ask: { kind: "bulk", gateways: [gateway], contacts, scheduleAt: at(dueAt) },
    connections: 1,
    requests: backlog / contacts,
    durationMs: 600_000,
    warmupMs: 0,
    restMs: 0,
  });
  expectClean(result);
}

export const smpp: Measure = async (engine) => {
  const sink = await startPeer("./smsc-sink.ts");
  try {
    return await onStage(
      engine,
      async (stage) => {
        const server = await stage.start();
        const begun = performance.now();
        await enqueue(stage, server, Date.now() + 86_400_000);
        const dueAt = Date.now() + 5000 + 2 * (performance.now() - begun);
        sink.send({ expect: backlog });
        await enqueue(stage, server, dueAt);
        const late = Date.now() > dueAt;
        const before = cpuMs(server.pid);
        await untilArrived(sink, backlog, dueAt);
        const after = cpuMs(server.pid);
        const { marks } = await sink.ask<Arrivals>({});
        const { rate, tenths } = ratesOf(marks, backlog);
        const count = backlog.toLocaleString("en-US");
        return [
          figure(
            `${count} texts over one bind, window 10`,
            perSecond(rate),
            `≥ ${perSecond(goal)}`,
            rate >= goal,
          ),
          figure("  by tenths", tenths.join(" ")),
          ...(before === null || after === null
            ? []
            : [
                figure(
                  "  CPU of the server for each",
                  `${Math.round(((after - before) / backlog) * 1000)} µs`,
                ),
              ]),
          ...(late ? [figure("  note", "the first became due before the last was stored")] : []),
        ];
      },
      () => [smppAccount(sink.port)],
    );
  } finally {
    sink.stop();
  }
};
