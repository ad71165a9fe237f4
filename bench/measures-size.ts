// What many gateways and endpoints cost: the start, and a process that has nothing to do.

import { readFileSync } from "node:fs";
import type { Server } from "../test/faults/server.ts";
import { type Figure, figure, type Measure, onStage, pause } from "./figure.ts";

const accounts = 100;
/** Of each account; of endpoints it may have no more. */
const each = 50;
const idleMs = process.argv.includes("--short") ? 2_000 : 20_000;
/** A process that has just started still collects garbage. */
const settleMs = 5_000;

const manyAccounts = () =>
  Array.from({ length: accounts }, (_, account) => ({
    name: `account-${account}`,
    api_key: `tl_${String(account).padStart(32, "0")}`,
    gateways: Array.from({ length: each }, (_, i) => ({
      identifier: `bench-${account}-${i}`,
      channel: "sms",
      kind: "sandbox",
      default: i === 0,
    })),
    webhooks: Array.from({ length: each }, (_, i) => ({
      url: `http://127.0.0.1:9/${account}/${i}`,
      events: ["message.*"],
    })),
  }));

/** User and system time of a process, ms, in steps of 10. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const rssMib = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

async function idle(server: Server): Promise<number> {
  await pause(settleMs);
  const before = cpuMs(server.pid);
  await pause(idleMs);
  return ((cpuMs(server.pid) - before) / idleMs) * 100;
}

/** 5,000 gateways and 5,000 webhook endpoints on one process. */
export const size: Measure = (engine) =>
  onStage(
    engine,
    async (stage): Promise<Figure[]> => {
      const count = (accounts * each).toLocaleString("en-US");
      const what = `${count} gateways and ${count} endpoints`;
      const first = await stage.start();
      const firstMs = first.readyMs;
      first.signal("SIGTERM");
      await first.ended;
      const second = await stage.start();
      const share = await idle(second);
      const rss = rssMib(second.pid);
      const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
      return [
        figure(`${what}: first start, all of them provisioned`, seconds(firstMs)),
        figure(`${what}: second start`, seconds(second.readyMs), "< 10 s", second.readyMs < 10_000),
        figure(`${what}: idle, of a core`, `${share.toFixed(1)} %`, "< 3 %", share < 3),
        figure(`${what}: memory idle`, `${rss.toFixed(0)} MiB`),
      ];
    },
    manyAccounts,
  );
