// The measurement of email: a backlog of mails with two signatures each, handed over to a mail server that takes
// everything at once. What is measured is everything between the store and the final dot.

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { at, cpuMs, ratesOf, untilArrived } from "./backlog.ts";
import { expectClean, figure, type Measure, onStage, perSecond } from "./figure.ts";
import type { MailArrivals } from "./mail-sink.ts";
import { account, type Stage, startPeer } from "./stage.ts";

const mailsPerRequest = 2000;
const backlog = process.argv.includes("--short") ? 4000 : 20_000;
const gateway = "bench-mail";
const goal = 1000;

const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" });

function mailAccount(port: number): object {
  const keys = [
    { selector: "rsa1", private_key: pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey) },
    { selector: "ed1", private_key: pem(generateKeyPairSync("ed25519").privateKey) },
  ];
  const own = account([
    {
      identifier: gateway,
      channel: "email",
      kind: "smtp",
      default: true,
      pace: { concurrency: 64 },
      settings: { host: "127.0.0.1", port, security: "none", from: "news@example.com", from_name: "Bench" },
    },
  ]);
  return { ...own, sending_domains: [{ domain: "example.com", keys }] };
}

async function enqueue(
  stage: Stage,
  server: Parameters<Stage["run"]>[0],
  mails: number,
  scheduleAt: string,
): Promise<void> {
  const result = await stage.run(server, {
    ask: { kind: "mails", gateway, contacts: mailsPerRequest, scheduleAt },
    connections: 1,
    requests: Math.ceil(mails / mailsPerRequest),
    durationMs: 600_000,
    warmupMs: 0,
    restMs: 0,
  });
  expectClean(result);
}

/** A backlog of mails, all due at one instant that lies after the last was stored. */
export const email: Measure = async (engine) => {
  const sink = await startPeer("./mail-sink.ts");
  try {
    return await onStage(
      engine,
      async (stage) => {
        const server = await stage.start();
        const begun = performance.now();
        await enqueue(stage, server, 4000, at(Date.now() + 86_400_000));
        const aheadMs = 5000 + (backlog / 4000) * 1.5 * (performance.now() - begun);
        const dueAt = Date.now() + aheadMs;
        sink.send({ expect: backlog });
        await enqueue(stage, server, backlog, at(dueAt));
        const late = Date.now() > dueAt;
        const before = cpuMs(server.pid);
        await untilArrived(sink, backlog, dueAt);
        const after = cpuMs(server.pid);
        const { marks, bytes, signatures } = await sink.ask<MailArrivals>({});
        const { rate, tenths } = ratesOf(marks, backlog);
        const name = `${backlog.toLocaleString("en-US")} mails of ${(bytes / 1000).toFixed(1)} KB, ${signatures} DKIM signatures each`;
        return [
          figure(name, perSecond(rate), `≥ ${perSecond(goal)}`, rate >= goal),
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
      () => [mailAccount(sink.port)],
    );
  } finally {
    sink.stop();
  }
};
