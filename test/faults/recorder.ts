// A client that writes down what it is about to ask and what it was told. It repeats nothing: a request
// without an answer stays one, so that the checker knows exactly what may exist and what must.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "undici";
import type { Sent, Told } from "./checker.ts";
import { markedText, pause, seeded } from "./marker.ts";

export interface Sender {
  account: string;
  apiKey: string;
  /** Identifiers of the account's gateways, used in turn by chance. */
  gateways: readonly string[];
}

export interface Load {
  /** Servers to send to, in turn; read before each request. */
  bases: () => readonly string[];
  senders: readonly Sender[];
  connections: number;
  /** Stops early when aborted; what is under way is still waited for. */
  signal: AbortSignal;
  /** At most so many contacts in all. */
  atMost: number;
  /** Each connection rests up to this long between two requests. */
  restMs: number;
  seed: number;
}

export interface Recorder {
  sent: readonly Sent[];
  /** One request with fresh markers; `fault` is asked of the provider for each of them. */
  send(base: string, sender: Sender, gateway: string, contacts: number, extra?: SendExtra): Promise<Sent>;
  load(load: Load): Promise<void>;
  close(): Promise<void>;
}

export interface SendExtra {
  fault?: string;
  /** `Y-m-d H:i:s` in the account's zone. */
  scheduleAt?: string;
}

/** Records into `client.jsonl` in `folder`. `run` makes the markers unique among runs. */
export function createRecorder(folder: string, run: string): Recorder {
  const journal = join(folder, "client.jsonl");
  const sent: Sent[] = [];
  const pools = new Map<string, Pool>();
  let seq = 0;

  function poolFor(base: string): Pool {
    const known = pools.get(base);
    if (known !== undefined) return known;
    const pool = new Pool(base, { connections: 64, headersTimeout: 30_000, bodyTimeout: 30_000 });
    pools.set(base, pool);
    return pool;
  }

  async function send(
    base: string,
    sender: Sender,
    gateway: string,
    contacts: number,
    extra: SendExtra = {},
  ): Promise<Sent> {
    const markers = Array.from({ length: contacts }, () => `${run}.${++seq}`);
    const record: Sent = {
      account: sender.account,
      gateway,
      markers,
      told: { kind: "none", reason: "under way" },
    };
    const request = sent.push(record);
    appendFileSync(
      journal,
      `${JSON.stringify({ at: Date.now(), request, account: sender.account, gateway, markers })}\n`,
    );
    const contact = markers.map((marker, index) => ({
      number: `+4915${String(100000000 + ((seq + index) % 800000000))}`,
      message: markedText(marker, extra.fault),
      gateway_identifier: gateway,
      ...(extra.scheduleAt === undefined ? {} : { schedule_at: extra.scheduleAt }),
    }));
    record.told = await ask(poolFor(base), sender.apiKey, JSON.stringify({ contact }));
    appendFileSync(journal, `${JSON.stringify({ at: Date.now(), request, told: record.told })}\n`);
    return record;
  }

  async function load({ bases, senders, connections, signal, atMost, restMs, seed }: Load): Promise<void> {
    const random = seeded(seed);
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    let left = atMost;
    const connection = async () => {
      while (!signal.aborted && left > 0) {
        const base = pick(bases());
        const sender = pick(senders);
        const gateway = pick(sender?.gateways ?? []);
        if (base === undefined || sender === undefined || gateway === undefined) return;
        // Mostly single messages, some small bulks: a torn transaction needs more than one row to show.
        const contacts = Math.min(left, random() < 0.8 ? 1 : 2 + Math.floor(random() * 20));
        left -= contacts;
        const { told } = await send(base, sender, gateway, contacts);
        // A server that is down must not be asked thousands of times.
        await pause(told.kind === "acknowledged" ? restMs * random() : 50);
      }
    };
    await Promise.all(Array.from({ length: connections }, connection));
  }

  async function close(): Promise<void> {
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  }

  return { sent, send, load, close };
}

async function ask(pool: Pool, apiKey: string, body: string): Promise<Told> {
  try {
    const answer = await pool.request({
      method: "POST",
      path: "/api/sms/send",
      headers: { "api-key": apiKey, "content-type": "application/json" },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 200 && answer.statusCode < 300) {
      const value = JSON.parse(text) as { data: { contact: { id: string }[] } };
      return { kind: "acknowledged", ids: value.data.contact.map(({ id }) => id) };
    }
    const code = /"code":"([a-z_]+)"/.exec(text)?.[1] ?? null;
    return { kind: "refused", status: answer.statusCode, code };
  } catch (error) {
    return { kind: "none", reason: error instanceof Error ? error.message : String(error) };
  }
}
