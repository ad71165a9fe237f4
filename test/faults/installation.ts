// One installation under test: a database, one or two server processes, a provider, a client that
// records, and the verdict over all of it. Everything lives in one temporary folder.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "../postgres.ts";
import { check, type Verdict } from "./checker.ts";
import type { Posted } from "./evidence.ts";
import type { InboundSettings } from "./inbound-source.ts";
import { type Lookups, openLookups } from "./lookups.ts";
import { pause } from "./marker.ts";
import { createRecorder, type Recorder, type Sender } from "./recorder.ts";
import { freePort, type Server, startServer } from "./server.ts";
import { graph, phone, type Simulator, smsc, startSimulator } from "./simulator.ts";
import { postgresWaiting, sqliteWaiting } from "./waiting.ts";
import type { HookSettings } from "./webhook-sink.ts";

export const engines = ["sqlite", "postgres"] as const;
export type Engine = (typeof engines)[number];

/** Messages that one gateway may have on the wire at once. */
export const concurrency = 8;
/** So soon does a process count as dead in these runs. */
export const takeoverMs = 2000;

const token = "callback-token";
const gateways = {
  acme: ["hold-a", "hold-b", "resend"],
  beta: ["beta-a"],
  gamma: [graph.gateway],
  delta: [smsc.gateway],
  epsilon: [phone.gateway],
} as const;

export const senders: readonly Sender[] = [
  { account: "acme", apiKey: `tl_${"a".repeat(32)}`, gateways: gateways.acme },
  { account: "beta", apiKey: `tl_${"b".repeat(32)}`, gateways: gateways.beta },
  { account: "gamma", apiKey: `tl_${"g".repeat(32)}`, gateways: gateways.gamma, channel: "whatsapp" },
  { account: "delta", apiKey: `tl_${"d".repeat(32)}`, gateways: gateways.delta },
  { account: "epsilon", apiKey: `tl_${"e".repeat(32)}`, gateways: gateways.epsilon },
];
const allowance = 10_000_000;

/** Each account has one webhook endpoint, for everything, and one gateway that only takes inbound messages. */
const secretOf = (account: string) => `whsec_${Buffer.from(account.padEnd(32, "*")).toString("base64")}`;
const inboundOf = (account: string) => `twilio-${account}`;
const operator = `tlm_${"o".repeat(40)}`;
const twilio = { accountSid: `AC${"0".repeat(32)}`, authToken: "twilio-auth-token" };
export const wire = concurrency * senders.flatMap((sender) => sender.gateways).length;

export const policyOf = (gateway: string): "hold" | "resend" => (gateway === "resend" ? "resend" : "hold");

export interface Installation {
  engine: Engine;
  folder: string;
  dataFolder: string;
  simulator: Simulator;
  recorder: Recorder;
  /** Starts process 0 or 1; `env` adds to the installation's own. */
  start(index?: number, env?: Record<string, string>): Promise<Server>;
  /** Every post to a webhook endpoint so far. */
  posted(): Posted[];
  /** From here on people write back, until the next `drained`. */
  hearBack(): void;
  /**
   * Waits until every request with a key is answered, nothing is pending, no report is under way and everything
   * has been posted; false when that takes too long.
   */
  drained(base: string, limitMs?: number): Promise<boolean>;
  verdict(base: string, judged: { drained: boolean; unknownAtMost: number | null }): Promise<Verdict>;
  /** The histories of the first few messages that violations name, and what the provider took of them. */
  histories(base: string, violations: readonly string[]): Promise<string[]>;
  /** Ends everything; the folder stays when it is to be looked at. */
  close(keepFolder?: boolean): Promise<void>;
}

let count = 0;

/** `hooks`: what the first tries of some webhook events meet. */
export async function openInstallation(
  engine: Engine,
  seed: number,
  hooks: HookSettings,
): Promise<Installation> {
  count += 1;
  const folder = mkdtempSync(join(tmpdir(), "trunkline-faults-"));
  const dataFolder = join(folder, "data");
  mkdirSync(dataFolder, { mode: 0o700 });
  const simulator = await startSimulator(folder);
  const database = engine === "postgres" ? await freshDatabase() : null;
  const ports = [await freePort(), await freePort()];
  const recorder = createRecorder(folder, `${engine.charAt(0)}${seed}x${process.pid}x${count}`);
  const servers: Server[] = [];
  const waiting = database === null ? sqliteWaiting(dataFolder) : postgresWaiting(database.url);
  const provision = join(folder, "provision.json");
  writeFileSync(provision, JSON.stringify(provisioning(simulator), null, 2));
  const bases = ports.map((port) => `http://127.0.0.1:${port}`).slice(0, engine === "postgres" ? 2 : 1);
  const publicUrl = `http://127.0.0.1:${ports[0]}`;
  const inbound: InboundSettings = {
    bases,
    publicUrl,
    ...twilio,
    gateways: senders.map(({ account }) => ({ account, gateway: inboundOf(account) })),
    everyMs: 50,
    twice: 0.3,
  };
  simulator.configure({
    seed,
    hooks,
    callbacks: {
      bases,
      token,
      delayMs: 200,
      early: 0.1,
      twice: 0.2,
    },
  });

  return {
    engine,
    folder,
    dataFolder,
    simulator,
    recorder,
    async start(index = 0, env = {}) {
      const server = await startServer({
        port: ports[index] ?? 0,
        logFile: join(folder, `server-${index}.log`),
        env: {
          TRUNKLINE_DATA_DIR: dataFolder,
          TRUNKLINE_PROVISION: provision,
          TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
          TRUNKLINE_PUBLIC_URL: publicUrl,
          TRUNKLINE_TAKEOVER_MS: String(takeoverMs),
          ...(database === null ? {} : { TRUNKLINE_DATABASE_URL: database.url }),
          ...env,
        },
      });
      servers.push(server);
      await linkPhone(server.base, simulator, bases);
      return server;
    },
    posted: () => simulator.posted(secretOf),
    hearBack: () => simulator.configure({ inbound }),
    async drained(base, limitMs = 90_000) {
      const deadline = Date.now() + limitMs;
      simulator.configure({ inbound: null });
      if (!(await recorder.answerAll(base, limitMs))) return false;
      return await asking(base, async (lookups) => {
        for (let calm = 0; calm < 2; ) {
          const { reporting } = await simulator.stats();
          const pending = await Promise.all(senders.map(lookups.pending));
          const { outbox, deliveries } = await waiting.read();
          const left = [reporting, ...pending, outbox, deliveries.pending ?? 0];
          calm = left.every((count) => count === 0) ? calm + 1 : 0;
          if (calm < 2 && Date.now() > deadline) return false;
          if (calm < 2) await pause(100);
        }
        return true;
      });
    },
    async verdict(base, { drained, unknownAtMost }) {
      const { outbox, deliveries } = await waiting.read();
      const verdict = await asking(base, async (lookups) =>
        check({
          sent: recorder.sent,
          rows: (await Promise.all(senders.map(lookups.rows))).flat(),
          taken: simulator.taken(),
          drained,
          policy: policyOf,
          unknownAtMost,
          reported: simulator.reported(),
          settlesDoubt: (gateway) => gateway === "hold-b" || gateway === graph.gateway,
          creditUsed: Object.fromEntries(
            await Promise.all(
              senders.map(async (sender) => [sender.account, allowance - (await lookups.remaining(sender))]),
            ),
          ),
          ledgers: await Promise.all(senders.map(lookups.ledger)),
          posted: simulator.posted(secretOf),
          handed: simulator.handed(),
          inbound: (await Promise.all(senders.map(lookups.inbound))).flat(),
        }),
      );
      const { callbacksLost, inboundLost } = await simulator.stats();
      const { violations } = verdict;
      if (callbacksLost > 0)
        violations.push(`${callbacksLost} reports were refused until the provider gave up`);
      if (inboundLost > 0)
        violations.push(`${inboundLost} inbound messages were refused until the provider gave up`);
      if (outbox > 0) violations.push(`${outbox} happenings were never handed to the webhook endpoints`);
      for (const [status, count] of Object.entries(deliveries)) {
        if (status !== "delivered") violations.push(`${count} webhook deliveries are ${status}`);
      }
      return verdict;
    },
    async histories(base, violations) {
      const ids = new Set(violations.flatMap((line) => /\bmsg_\w+/.exec(line)?.[0] ?? []));
      return await asking(base, async (lookups) => {
        const lines: string[] = [];
        for (const id of [...ids].slice(0, 3)) {
          for (const sender of senders) lines.push(...(await lookups.history(sender, id, simulator.taken())));
        }
        return lines;
      });
    },
    async close(keepFolder = false) {
      await Promise.all(servers.map((server) => server.kill()));
      await recorder.close();
      await simulator.stop();
      await waiting.close();
      await database?.drop();
      if (!keepFolder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Links the phone unless it is linked. A process that dies meanwhile leaves that to the next one. */
async function linkPhone(base: string, simulator: Simulator, bases: string[]): Promise<void> {
  const owner = senders.find(({ gateways: [first] }) => first === phone.gateway);
  if (owner === undefined || (await simulator.stats()).isPhoneLinked) return;
  try {
    const code = await asking(base, (lookups) => lookups.linkCode(owner, phone.gateway));
    simulator.configure({ phone: { bases, code } });
  } catch {
    // It died at a point that this reached.
  }
}

/** Asks one server, and closes the connections to it. */
async function asking<T>(base: string, ask: (lookups: Lookups) => Promise<T>): Promise<T> {
  const lookups = openLookups(base, operator);
  try {
    return await ask(lookups);
  } finally {
    await lookups.close();
  }
}

/**
 * Five accounts, seven gateways: three that hold what is in doubt, one that resends it, one of the WhatsApp Cloud API, one over
 * SMPP, and one through a phone.
 */
function provisioning({ url: provider, smscPort }: Simulator): object {
  const others: Record<string, () => object> = {
    [graph.gateway]: () => cloud(provider),
    [smsc.gateway]: () => smpp(smscPort),
    [phone.gateway]: app,
  };
  return {
    management_tokens: [{ name: "checker", token: operator, role: "operator" }],
    accounts: senders.map(({ account, apiKey, gateways: identifiers }) => ({
      name: account,
      time_zone: "UTC",
      country: "DE",
      api_key: apiKey,
      plan: { name: "basic", expires_at: null, credit: { sms: allowance, whatsapp: allowance, email: null } },
      webhooks: [{ url: `${provider}/hook/${account}`, secret: secretOf(account), events: ["*"] }],
      gateways: [
        ...identifiers.map(
          (identifier, index) => others[identifier]?.() ?? sending(provider, identifier, index === 0),
        ),
        receiving(provider, account),
      ],
    })),
  };
}

function sending(provider: string, identifier: string, isDefault: boolean): object {
  return {
    identifier,
    channel: "sms",
    kind: "http-api",
    default: isDefault,
    active: true,
    on_unknown: policyOf(identifier),
    retry: { first_ms: 100, max_ms: 1000, for_ms: 600_000 },
    pace: { concurrency },
    settings: {
      url: `${provider}/send/${identifier}`,
      body: { to: "{{to}}", text: "{{message}}", id: "{{id}}" },
      success: { status: "2xx", reference: "$.messages[0].id" },
      definite: [503],
      timeout_ms: 3000,
      callback: {
        token,
        reference: "$.id",
        // Only this gateway's reports carry our id, and so settle what is in doubt.
        ...(identifier === "hold-b" ? { id: "$.ours" } : {}),
        status: "$.state",
        delivered: ["DELIVRD"],
      },
    },
  };
}

/** The provider answers and reports as Meta does below this gateway's path; its statuses carry our id. */
function cloud(provider: string): object {
  return {
    identifier: graph.gateway,
    channel: "whatsapp",
    kind: "whatsapp-cloud",
    default: true,
    active: true,
    on_unknown: "hold",
    retry: { first_ms: 100, max_ms: 1000, for_ms: 600_000 },
    pace: { per_second: 10_000, concurrency },
    settings: {
      phone_number_id: graph.phoneNumberId,
      access_token: "EAAfaults",
      app_secret: graph.appSecret,
      base_url: `${provider}/send/${graph.gateway}`,
      timeout_ms: 3000,
    },
  };
}

/** Its receipts carry the SMSC's id alone, so they settle nothing that is in doubt. */
function smpp(port: number): object {
  return {
    identifier: smsc.gateway,
    channel: "sms",
    kind: "smpp",
    default: true,
    active: true,
    on_unknown: "hold",
    retry: { first_ms: 100, max_ms: 1000, for_ms: 600_000 },
    pace: { concurrency },
    settings: {
      host: "127.0.0.1",
      port,
      system_id: "acme",
      password: smsc.password,
      window: concurrency,
      response_timeout_s: 3,
    },
  };
}

/** What the phone was handed stays with it, so nothing is ever in doubt here. */
const app = (): object => ({
  identifier: phone.gateway,
  channel: "sms",
  kind: "android",
  default: true,
  active: true,
  retry: { first_ms: 100, max_ms: 1000, for_ms: 600_000 },
  pace: { per_second: 1000, per_day: 1_000_000 },
  settings: { ahead: 20 },
});

/** For inbound messages. No request names it and it is no default, so nothing is sent through it. */
function receiving(provider: string, account: string): object {
  const { accountSid, authToken } = twilio;
  return {
    identifier: inboundOf(account),
    channel: "sms",
    kind: "twilio",
    default: false,
    active: true,
    settings: { account_sid: accountSid, auth_token: authToken, from: "+15005550006", base_url: provider },
  };
}
