// What one account can make the installation hold, filled to its bounds through the API: the process stays below the memory
// of the chart's container, and its lists are read. The bounds are those of the table in docs/hardening.md.

import { readFileSync } from "node:fs";
import { memoryMib } from "../process-memory.ts";
import { jsonOf } from "./ask.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { bearer, secrets } from "./installation.ts";
import { openStage } from "./stage.ts";

/** The chart's limit. */
const maxMib = 1024;
/** Below 64 KiB with the rest of the settings. */
const large = "x".repeat(60_000);

const table = readFileSync(new URL("../../docs/hardening.md", import.meta.url), "utf8");

/** The numbers of the table's row that begins so. */
function boundsOf(row: string): number[] {
  const [, bounds] = new RegExp(`^\\| ${row} \\| ([^|]+) \\|$`, "m").exec(table) ?? [];
  if (bounds === undefined) throw new Error(`docs/hardening.md has no row ${row}.`);
  return [...(bounds.split(/[.;]/)[0] ?? "").matchAll(/\d[\d,]*/g)].map(([number]) =>
    Number(number.replaceAll(",", "")),
  );
}

const member = { kind: "sandbox", models: ["echo"] };
const gateway = (identifier: string) => ({
  identifier,
  channel: "sms",
  kind: "http-api",
  settings: {
    url: "https://sms.example.com/send",
    body: { to: "{{to}}", text: "{{message}}", more: large },
    success: { status: "2xx" },
  },
});

const fill: Attack = {
  family: "holdings",
  name: "one account fills every bound of what is held",
  expected: "201 up to each bound, 422 beyond, below 1 GiB, lists are read",
  short: false,
  // It has a service of its own, which keeps what it is made to hold.
  async run(stage) {
    const it = tally();
    const own = await openStage(stage.engine);
    try {
      const base = `/accounts/${own.ours.id}`;
      const asked = (method: string, path: string, body?: object) =>
        own.ask({
          method,
          path: `/api/manage/v1${path}`,
          headers: bearer(secrets.member),
          ...(body === undefined ? {} : { body }),
        });
      const first = await asked("POST", `${base}/pools`, { name: "fill" });
      const pool = `${base}/pools/${jsonOf(first)?.data?.id}`;
      const [gateways = 0] = boundsOf("Gateways of an account");
      const [pools = 0, members = 0] = boundsOf("Pools of an account, members of a pool");
      const [keys = 0, poolKeys = 0] = boundsOf(
        "API keys of an account, keys of a pool that are not revoked",
      );
      const [webhooks = 0, domains = 0] = boundsOf("Webhook endpoints, sending domains");
      const fills: [path: string, bound: number, body: (at: number) => object][] = [
        [`${base}/gateways`, gateways, (at) => gateway(`fill-${at}`)],
        [`${base}/pools`, pools, (at) => ({ name: `fill-${at}` })],
        [`${pool}/members`, members, (at) => ({ ...member, name: `fill-${at}` })],
        [`${base}/api-keys`, keys, (at) => ({ name: `fill-${at}`, scopes: ["read"] })],
        [`${pool}/keys`, poolKeys, (at) => ({ name: `fill-${at}` })],
        [`${base}/webhooks`, webhooks, (at) => ({ url: `https://hooks.example.com/${at}`, events: ["*"] })],
        [`${base}/sending-domains`, domains, (at) => ({ domain: `d${at}.example.com` })],
      ];
      for (const [path, bound, body] of fills) {
        const before = jsonOf(await asked("GET", `${path}?limit=200`))?.data?.length ?? 0;
        let made = 0;
        await spread(bound + 5, 4, async (at) => {
          const { status, text } = await asked("POST", path, body(at));
          if (status === 201) made += 1;
          it.add(status, status !== 201 && status !== 422 && `${path}: ${status} ${text.slice(0, 100)}`);
        });
        if (before + made !== bound) it.fault(`${path}: ${before} and ${made} more, the bound is ${bound}`);
        const list = await asked("GET", `${path}?limit=100`);
        it.add(list.status, list.status !== 200 && `list ${path}: ${list.status} ${list.text.slice(0, 100)}`);
      }
      for (const path of [`${base}/overview`, `${base}/gateways`]) {
        const reply = await asked("GET", path);
        it.add(reply.status, reply.status !== 200 && `${path}: ${reply.status}`);
      }
      const peak = memoryMib(own.server.pid, "VmHWM");
      if (peak !== null && peak > maxMib) it.fault(`the process came to ${peak} MiB`);
      if (own.ended() !== null) it.fault(`the process ended: ${own.ended()}`);
    } finally {
      await own.close();
    }
    return it;
  },
};

export const holdingAttacks: readonly Attack[] = [fill];
