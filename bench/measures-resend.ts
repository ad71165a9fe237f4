// What Resend's API costs over our own endpoint: the same email by either, in turns against one process, so that both see the same machine.

import { cpuMs } from "./backlog.ts";
import { expectClean, figure, type Measure, onStage, perSecond } from "./figure.ts";
import { account, otherHalfOfTheDay } from "./stage.ts";

const turns = process.argv.includes("--short") ? 6 : 40;
const turnMs = 1000;
/** Resend's path may cost a tenth more. */
const goal = 1.1;
const apis = ["own", "resend"] as const;

const heldMail = {
  identifier: "bench-mail",
  channel: "email",
  kind: "smtp",
  default: true,
  pace: { hours: otherHalfOfTheDay() },
  settings: { host: "127.0.0.1", port: 2525, security: "none", from: "news@example.com" },
};

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export const resend: Measure = (engine) =>
  onStage(
    engine,
    async (stage) => {
      const server = await stage.start();
      /** CPU of the server for each email, µs; and emails a second. */
      const measured = async (api: (typeof apis)[number], durationMs: number) => {
        const job = { connections: 32, requests: Infinity, durationMs, warmupMs: 0, restMs: 0 };
        const before = cpuMs(server.pid);
        const result = await stage.run(server, { ...job, ask: { kind: "email", api } });
        const after = cpuMs(server.pid);
        expectClean(result);
        const cpu = before === null || after === null ? Number.NaN : ((after - before) * 1000) / result.asked;
        return { cpu, rate: result.perSecond };
      };
      for (const api of apis) await measured(api, 4000);
      const found = {
        own: [] as { cpu: number; rate: number }[],
        resend: [] as { cpu: number; rate: number }[],
      };
      // Each turn begins with the other one, so that neither is always second.
      for (let turn = 0; turn < turns; turn += 1)
        for (const api of turn % 2 === 0 ? apis : apis.toReversed())
          found[api].push(await measured(api, turnMs));
      const ratios = found.own.map(({ cpu }, turn) => (found.resend[turn]?.cpu ?? Number.NaN) / cpu);
      const of = (api: (typeof apis)[number], what: "cpu" | "rate") =>
        median(found[api].map((each) => each[what]));
      return [
        figure(
          `CPU of an email by Resend's API over one by ours, median of ${turns} turns`,
          median(ratios).toFixed(3),
          `≤ ${goal}`,
          median(ratios) <= goal,
        ),
        figure(
          "  CPU of each, ours / Resend's",
          `${of("own", "cpu").toFixed(0)} / ${of("resend", "cpu").toFixed(0)} µs`,
        ),
        figure(
          "  accepted, ours / Resend's",
          `${perSecond(of("own", "rate"))} / ${perSecond(of("resend", "rate"))}`,
        ),
      ];
    },
    () => [account([heldMail])],
  );
