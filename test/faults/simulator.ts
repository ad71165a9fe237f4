// The handle on a provider simulator: starts its process, scripts its faults, reads its journal.

import { fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Handed, Posted, Taken } from "./evidence.ts";
import { type InboundSettings, readHanded } from "./inbound-source.ts";
import { readJournal } from "./journal.ts";
import { type HookFault, type HookSettings, readPosted } from "./webhook-sink.ts";

/**
 * `-early`: without having taken the message, `-late` or no suffix on an answerless one: after having
 * taken it. `400`, `429`, `429-after` (with Retry-After: 1) and `503` are definite refusals.
 */
export type ProviderFault =
  | "reset-early"
  | "silence-early"
  | "500-early"
  | "400"
  | "429"
  | "429-after"
  | "503"
  | "reset-late"
  | "silence"
  | "500-late"
  | "garbage"
  | "cut";

/** Below the path of this gateway the provider is Meta's Graph API. */
export const graph = {
  gateway: "cloud",
  phoneNumberId: "106540352242922",
  appSecret: "app-secret-of-the-faults",
} as const;

/** On a port of its own the provider is an SMSC, with one gateway. */
export const smsc = { gateway: "smsc", password: "kern4123" } as const;

/** The gateway of the phone that the provider plays. */
export const phone = { gateway: "phone" } as const;

export interface SimulatorSettings {
  seed: number;
  /** Chance of each fault for messages whose text asks for none. */
  faults: Partial<Record<ProviderFault, number>>;
  /** Each request is held for a random time up to this. */
  delayMs: number;
  /** Delivery reports; null: none. */
  callbacks: {
    /** Where the server may be reached; a report goes to the next one when one does not answer. */
    bases: string[];
    token: string;
    /** The longest wait before a report; reports overtake each other within it. */
    delayMs: number;
    /** Chance that the report comes before the answer to the send itself. */
    early: number;
    /** Chance that it comes twice. */
    twice: number;
  } | null;
  hooks: HookSettings;
  /** The code that links the phone, and where the service may be reached; null: it is switched off. */
  phone: { bases: string[]; code: string } | null;
  /** Null: no new ones; those under way are still handed over. */
  inbound: InboundSettings | null;
}

export interface SimulatorStats {
  requests: number;
  journalled: number;
  /** How often each fault struck. */
  faults: Partial<Record<string, number>>;
  callbacks: number;
  /** Reports that the service did not take after all their tries. */
  callbacksLost: number;
  /** Reports and inbound messages that are still to come or being repeated. */
  reporting: number;
  isPhoneLinked: boolean;
  /** Posts to webhook endpoints. */
  hooks: number;
  /** How often each fault struck them. */
  hookFaults: Partial<Record<HookFault, number>>;
  /** Inbound messages that the service did not take after all their tries. */
  inboundLost: number;
}

export interface Simulator {
  url: string;
  smscPort: number;
  pid: number;
  configure(settings: Partial<SimulatorSettings>): void;
  /** Also a barrier: every setting sent before is in force. */
  stats(): Promise<SimulatorStats>;
  /** Everything the provider took so far, in order. */
  taken(): Taken[];
  /** Provider ids whose delivery report was answered with a 2xx. */
  reported(): Set<string>;
  /** Every post to a webhook endpoint so far; `secretOf` gives the secret of an account's. */
  posted(secretOf: (account: string) => string): Posted[];
  /** Every inbound message so far. */
  handed(): Handed[];
  stop(): Promise<void>;
}

/** The names of its journals. */
export const journals = {
  taken: "provider.jsonl",
  reported: "reported.jsonl",
  posted: "webhooks.jsonl",
  handed: "inbound.jsonl",
} as const;

/** Starts a provider whose journals are in `folder`. */
export function startSimulator(folder: string): Promise<Simulator> {
  const child = fork(fileURLToPath(new URL("./provider-simulator.ts", import.meta.url)), [folder], {
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let asking = 0;
  const asked = new Map<number, (stats: SimulatorStats) => void>();
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the provider simulator ended (${code})`)));
    child.on(
      "message",
      (message: { port?: number; smscPort?: number; answer?: number; stats?: SimulatorStats }) => {
        if (message.answer !== undefined && message.stats !== undefined)
          asked.get(message.answer)?.(message.stats);
        if (message.port === undefined) return;
        resolve({
          url: `http://127.0.0.1:${message.port}`,
          smscPort: message.smscPort ?? 0,
          pid: child.pid ?? 0,
          configure: (settings) => void child.send({ settings }),
          stats: () =>
            new Promise((answered) => {
              asking += 1;
              const ask = asking;
              asked.set(ask, answered);
              child.send({ ask });
            }),
          taken: () => readJournal<Taken>(join(folder, journals.taken)),
          reported: () =>
            new Set(readJournal<{ id: string }>(join(folder, journals.reported)).map(({ id }) => id)),
          posted: (secretOf) => readPosted(join(folder, journals.posted), secretOf),
          handed: () => readHanded(join(folder, journals.handed)),
          stop() {
            if (child.connected) child.send({ stop: true });
            return gone;
          },
        });
      },
    );
  });
}
