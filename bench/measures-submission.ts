// The measurement of mail submission: mails that are durably accepted over SMTP, beside the bare package that answers without storing.

import { freePort } from "../test/faults/server.ts";
import { expectClean, figure, type Measure, ms, onStage, perSecond } from "./figure.ts";
import type { SubmissionJob, SubmissionResult } from "./smtp-client.ts";
import { account, apiKey, otherHalfOfTheDay, startPeer } from "./stage.ts";

const gateway = "bench-mail";
const goal = 800;
const short = process.argv.includes("--short");

const settings = { host: "127.0.0.1", port: 2525, security: "none", from: "news@example.com" };
const heldMail = {
  identifier: gateway,
  channel: "email",
  kind: "smtp",
  default: true,
  pace: { hours: otherHalfOfTheDay() },
  settings,
};

export const submission: Measure = async (engine) => {
  const job: Omit<SubmissionJob, "port"> = {
    apiKey,
    headers: "",
    connections: 32,
    durationMs: short ? 3000 : 10_000,
    warmupMs: short ? 1000 : 3000,
  };
  const client = await startPeer("./smtp-client.ts");
  const measured = async (port: number) => {
    const result = await client.ask<SubmissionResult>({ job: { ...job, port } });
    expectClean(result);
    return result;
  };
  try {
    const bareServer = await startPeer("./bare-smtp.ts", "0");
    const bare = await measured(bareServer.port).finally(() => bareServer.stop());
    return await onStage(
      engine,
      async (stage) => {
        const port = await freePort();
        await stage.start({ env: { TRUNKLINE_SMTP_PORT: String(port) } });
        const { perSecond: rate, p99 } = await measured(port);
        return [
          figure(
            "mails of 2 KB durably accepted by SMTP, 32 connections",
            perSecond(rate),
            `≥ ${perSecond(goal)}`,
            rate >= goal,
          ),
          figure("  99th percentile", ms(p99)),
          figure(
            `  of the bare smtp-server's ${perSecond(bare.perSecond)}`,
            (rate / bare.perSecond).toFixed(2),
          ),
        ];
      },
      () => [account([heldMail])],
    );
  } finally {
    client.stop();
  }
};
