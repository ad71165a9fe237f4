// Takes the posts of webhook endpoints, in the simulator's process: `POST /hook/{account}`. Each is journalled as it
// came, and flushed, before it is answered. Some first tries are answered badly, so that there are second ones;
// nothing is verified here, that is for the reader of the journal.

import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import type { Posted } from "./evidence.ts";
import { type Journal, readJournal } from "./journal.ts";

/** A post as it came. */
interface Line {
  at: number;
  account: string;
  id: string;
  /** `webhook-timestamp`, seconds. */
  seconds: string;
  signature: string;
  body: string;
  /** How it was answered: `ok`, or a fault. */
  answer: string;
}

/** `500`: so answered; `reset`: without an answer; `stall`: none until the other side gives up. Journalled all the same. */
export type HookFault = "500" | "reset" | "stall";

export interface HookSettings {
  /** Chance of each fault for the first try of an event. */
  faults: Partial<Record<HookFault, number>>;
  /** So many in all: with a fair chance they strike early, and their second tries come within the run. */
  atMost: number;
}

export interface Sink {
  serve(incoming: IncomingMessage, body: string, answer: ServerResponse): Promise<void>;
}

/** `struck` is called at every fault. */
export function createSink(
  journal: Journal,
  settings: () => HookSettings,
  random: () => number,
  struck: (fault: HookFault) => void,
): Sink {
  /** Events that were posted before: only first tries meet faults, because a third try comes minutes later. */
  const seen = new Set<string>();
  let faults = 0;

  function chooseFault(id: string): HookFault | null {
    if (seen.has(id)) return null;
    seen.add(id);
    const { faults: chances, atMost } = settings();
    if (faults >= atMost) return null;
    let roll = random();
    for (const name of Object.keys(chances) as HookFault[]) {
      roll -= chances[name] ?? 0;
      if (roll >= 0) continue;
      faults += 1;
      struck(name);
      return name;
    }
    return null;
  }

  async function serve(incoming: IncomingMessage, body: string, answer: ServerResponse): Promise<void> {
    const text = (name: string) => String(incoming.headers[name] ?? "");
    const id = text("webhook-id");
    const fault = chooseFault(id);
    await journal.add({
      at: Date.now(),
      account: incoming.url?.split("/")[2] ?? "",
      id,
      seconds: text("webhook-timestamp"),
      signature: text("webhook-signature"),
      body,
      answer: fault ?? "ok",
    } satisfies Line);
    if (fault === "reset") return void incoming.socket.resetAndDestroy();
    if (fault === "stall") return;
    answer.writeHead(fault === "500" ? 500 : 204).end();
  }

  return { serve };
}

/** Reads a sink's journal; `secretOf` gives the secret of an account's endpoint. */
export function readPosted(path: string, secretOf: (account: string) => string): Posted[] {
  const verifiers = new Map<string, Webhook>();
  return readJournal<Line>(path).map(({ account, id, seconds, signature, body, answer }) => {
    const verifier = verifiers.get(account) ?? new Webhook(secretOf(account));
    verifiers.set(account, verifier);
    // Signed once more rather than verified, because a journal may be older than a signature may be.
    const expected = verifier.sign(id, new Date(Number(seconds) * 1000), body);
    const { type, timestamp, data } = JSON.parse(body) as {
      type: string;
      timestamp: string;
      data: { id?: string; status?: string };
    };
    return {
      account,
      id,
      signed: signature.split(" ").includes(expected),
      type,
      timestamp,
      subject: data.id ?? null,
      status: data.status ?? null,
      digest: createHash("sha256").update(body).digest("base64"),
      answer,
    };
  });
}
