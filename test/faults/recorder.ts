// A client that writes down what it is about to ask and what it was answered. A request without a key is asked once: one
// that got no answer stays so, and the checker knows exactly what may exist and what must. A request with an
// `Idempotency-Key` is asked again, under load, until it has an answer, and some are asked once more after that.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "undici";
import type { Answer, SendResult, Sent } from "./evidence.ts";
import { markedText, pause, seeded } from "./marker.ts";

export interface Sender {
  account: string;
  apiKey: string;
  /** Identifiers of the account's gateways, used in turn by chance. */
  gateways: readonly string[];
  /** Default: SMS. */
  channel?: "whatsapp";
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
  /** The share of requests that carry a key. */
  keyed: number;
  seed: number;
}

export interface Recorder {
  sent: readonly Sent[];
  /** One request with fresh markers; `fault` is asked of the provider for each of them. */
  send(base: string, sender: Sender, gateway: string, contacts: number, extra?: SendExtra): Promise<Sent>;
  load(load: Load): Promise<void>;
  /** Asks what is still to be asked again, until all of it is answered; false when that takes too long. */
  answerAll(base: string, limitMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export interface SendExtra {
  fault?: string;
  /** `Y-m-d H:i:s` in the account's zone. */
  scheduleAt?: string;
  /** It carries a key of its own, and is asked again by `load` or `answerAll` even when it was answered. */
  keyed?: boolean;
}

/** Waits before a request with a key is asked again. */
const againMs = 100;
/** So long it waits for an answer: short, so that the first one may still be running, or frozen. */
const patienceMs = 2500;
/** Of the requests with a key: asked twice at once, and asked again although answered. */
const raced = 0.2;
const askedAgain = 0.4;

/** A request with a key on its way to an answer. */
interface Asking {
  number: number;
  record: Sent;
  apiKey: string;
  channel: "sms" | "whatsapp";
  body: string;
  key: string | null;
  /** Every answer it got, in the order of its arrival. */
  heard: SendResult[];
  notBefore: number;
}

/** Records into `client.jsonl` in `folder`. `run` makes the markers unique among runs. */
export function createRecorder(folder: string, run: string): Recorder {
  const journal = join(folder, "client.jsonl");
  const sent: Sent[] = [];
  const pools = new Map<string, Pool>();
  /** To be asked again. */
  let open: Asking[] = [];
  let seq = 0;

  const note = (line: object) => appendFileSync(journal, `${JSON.stringify({ at: Date.now(), ...line })}\n`);

  function poolFor(base: string): Pool {
    const known = pools.get(base);
    if (known !== undefined) return known;
    const pool = new Pool(base, { connections: 64, headersTimeout: 30_000, bodyTimeout: 30_000 });
    pools.set(base, pool);
    return pool;
  }

  /** Writes down a new request. */
  function prepare(sender: Sender, gateway: string, contacts: number, extra: SendExtra): Asking {
    const markers = Array.from({ length: contacts }, () => `${run}.${++seq}`);
    const key = extra.keyed ? `key-${markers[0]}` : null;
    const record: Sent = {
      account: sender.account,
      gateway,
      markers,
      result: unasked,
      repeat: key === null ? null : { key, answers: [] },
    };
    const number = sent.push(record);
    note({ request: number, account: sender.account, gateway, markers, key });
    const contact = markers.map((marker, index) => ({
      number: `+4915${String(100000000 + ((seq + index) % 800000000))}`,
      message: markedText(marker, extra.fault),
      gateway_identifier: gateway,
      ...(extra.scheduleAt === undefined ? {} : { schedule_at: extra.scheduleAt }),
    }));
    const body = JSON.stringify({ contact });
    const { apiKey, channel = "sms" } = sender;
    return { number, record, apiKey, channel, body, key, heard: [], notBefore: 0 };
  }

  async function tryOnce(asking: Asking, base: string): Promise<void> {
    const { record, heard, number } = asking;
    const { result, answer } = await ask(poolFor(base), asking);
    heard.push(result);
    if (answer !== null) record.repeat?.answers.push(answer);
    record.result = asking.key === null ? result : summed(heard);
    note({ request: number, base, result, replayed: answer?.replayed });
  }

  /** True when it needs no further try; one that was answered before has to get its second answer. */
  async function tryAgain(asking: Asking, base: string): Promise<boolean> {
    const before = asking.record.repeat?.answers.length;
    await tryOnce(asking, base);
    return isAnswered(asking) && asking.record.repeat?.answers.length !== before;
  }

  const askLater = (asking: Asking) => {
    asking.notBefore = Date.now() + againMs;
    open.push(asking);
  };

  /** The next request that is to be asked again now. */
  function due(): Asking | undefined {
    const now = Date.now();
    const next = open.find(({ notBefore }) => notBefore <= now);
    open = open.filter((asking) => asking !== next);
    return next;
  }

  async function send(
    base: string,
    sender: Sender,
    gateway: string,
    contacts: number,
    extra: SendExtra = {},
  ): Promise<Sent> {
    const asking = prepare(sender, gateway, contacts, extra);
    await tryOnce(asking, base);
    if (asking.key !== null) askLater(asking);
    return asking.record;
  }

  async function load({ bases, senders, signal, restMs, seed, ...load }: Load): Promise<void> {
    const random = seeded(seed);
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    let left = load.atMost;
    const connection = async () => {
      while (!signal.aborted && left > 0) {
        const base = pick(bases());
        const sender = pick(senders);
        const gateway = pick(sender?.gateways ?? []);
        if (base === undefined || sender === undefined || gateway === undefined) return;
        const again = due();
        if (again !== undefined) {
          if (!(await tryAgain(again, base))) {
            askLater(again);
            await pause(50);
          }
          continue;
        }
        // Mostly single messages, some small bulks: a torn transaction needs more than one row to show.
        const contacts = Math.min(left, random() < 0.8 ? 1 : 2 + Math.floor(random() * 20));
        left -= contacts;
        const keyed = random() < load.keyed;
        const asking = prepare(sender, gateway, contacts, { keyed });
        const other = keyed && random() < raced ? pick(bases()) : undefined;
        await Promise.all([base, other].map((one) => one !== undefined && tryOnce(asking, one)));
        if (keyed && (!isAnswered(asking) || random() < askedAgain)) askLater(asking);
        // A server that is down must not be asked thousands of times.
        await pause(asking.record.result.kind === "acknowledged" ? restMs * random() : 50);
      }
    };
    await Promise.all(Array.from({ length: load.connections }, connection));
  }

  async function answerAll(base: string, limitMs: number): Promise<boolean> {
    const deadline = Date.now() + limitMs;
    while (open.length > 0 && Date.now() < deadline) {
      const batch = open.splice(0, 8);
      const ended = await Promise.all(batch.map((asking) => tryAgain(asking, base)));
      const unanswered = batch.filter((_, index) => !ended[index]);
      if (unanswered.length > 0) await pause(againMs);
      open.push(...unanswered);
    }
    return open.length === 0;
  }

  async function close(): Promise<void> {
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  }

  return { sent, send, load, answerAll, close };
}

/** A complete answer: a 2xx, or a no that asking again would not change. */
function isFinal(result: SendResult): boolean {
  if (result.kind === "refused") return result.status < 500 && result.status !== 409;
  return result.kind === "acknowledged";
}

const isAnswered = ({ heard }: Asking) => heard.some(isFinal);

const unasked: SendResult = { kind: "none", reason: "under way" };

/** What several answers under one key say together: a yes before a no, and as long as one try is open, nothing. */
function summed(heard: readonly SendResult[]): SendResult {
  const yes = heard.find(({ kind }) => kind === "acknowledged");
  const final = yes ?? heard.find(isFinal);
  if (final !== undefined) return final;
  const open = heard.find(
    (result) =>
      result.kind === "none" ||
      (result.kind === "refused" && (result.status === 409 || result.code === "commit_unknown")),
  );
  return open === undefined ? (heard.at(-1) ?? unasked) : { kind: "none", reason: "no final answer" };
}

async function ask(
  pool: Pool,
  { apiKey, body, key, channel }: Asking,
): Promise<{ result: SendResult; answer: Answer | null }> {
  try {
    const request = await pool.request({
      method: "POST",
      path: `/api/${channel}/send`,
      headers: {
        "api-key": apiKey,
        "content-type": "application/json",
        ...(key === null ? {} : { "idempotency-key": key }),
      },
      body,
      ...(key === null ? {} : { signal: AbortSignal.timeout(patienceMs) }),
    });
    const text = await request.body.text();
    const status = request.statusCode;
    const replayed = request.headers["idempotent-replayed"] === "true";
    if (status >= 200 && status < 300) {
      const { data } = JSON.parse(text) as { data: { request_id: string; contact: { id: string }[] } };
      return {
        result: { kind: "acknowledged", ids: data.contact.map(({ id }) => id) },
        answer: { status, code: null, replayed, body: text, request: data.request_id },
      };
    }
    const code = /"code":"([a-z_]+)"/.exec(text)?.[1] ?? null;
    return {
      result: { kind: "refused", status, code },
      answer: { status, code, replayed, body: null, request: null },
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { result: { kind: "none", reason }, answer: null };
  }
}
