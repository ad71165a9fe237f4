// One random history of an installation: customers, a provider with moods, receipts, kills and restarts. The
// same seed is the same history. It ends with everything drained and returns what the checker needs.

import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import type { OutboundRequest, OutboundResult, Random } from "#runtime/runtime.ts";
import { readCredits } from "#store/accounts/accounts.ts";
import type { Database } from "#store/database.ts";
import { countByStatus, findMessage } from "#store/messages/lookup.ts";
import { type Harness, harness, seededRandom } from "../harness.ts";
import {
  answer,
  noAnswer,
  providerSettings,
  readRequest,
  report,
  unreachable,
} from "../scenarios/provider.ts";
import type { Evidence, Requested, Seen, Stored } from "./checker.ts";

const steps = 22;
const crashPoints = [
  "accept.after",
  "stamp.before",
  "stamp.after",
  "send.before",
  "send.after",
  "settle.before",
  "settle.after",
  "receipt.before",
  "receipt.after",
];
const receiptWords = ["ACCEPTD", "DELIVRD", "UNDELIV", "REJECTD"];

interface Sender {
  id: string;
  key: string;
  gateways: string[];
  opening: number | null;
}

export class World {
  readonly #seed: number;
  readonly #random: Random;
  /** Where the process that lives now is to die. */
  #dieAt: string | undefined;
  readonly #clock: MovableClock = movableClock();
  readonly #database: Database;
  #it!: Harness;
  #lives = 0;
  #calm = false;
  readonly #senders: Sender[] = [];
  readonly #requests: Requested[] = [];
  readonly #seen: Seen[] = [];
  readonly #cancelled = new Map<string, number>();
  readonly #receipts: { at: number; gateway: string; body: object }[] = [];
  #texts = 0;

  constructor(seed: number, database: Database) {
    this.#seed = seed;
    this.#random = seededRandom(seed * 7919);
    this.#database = database;
  }

  #below(count: number): number {
    return Math.floor(this.#random.random() * count);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  async #live(dieAt?: string): Promise<void> {
    this.#dieAt = dieAt;
    this.#lives += 1;
    // One connection outlives all processes: what a killed one had begun is committed or not, as with a real one.
    const ground = {
      engine: "sqlite" as const,
      open: async () => ({ ...this.#database, close: async () => {} }),
      remove: async () => {},
    };
    this.#it = await harness({
      ground,
      clock: this.#clock,
      seed: this.#seed * 1000 + this.#lives,
      respond: (request) => this.#answer(request),
      ...(dieAt === undefined ? {} : { dieAt }),
    });
  }

  async #configure(sender: Sender, gateway: string, change: object = {}): Promise<void> {
    this.#it.as(sender);
    await this.#it.gateway({
      identifier: gateway,
      kind: "http-api",
      default: gateway === sender.gateways[0],
      settings: { ...providerSettings, url: `https://provider.test/${gateway}` },
      on_unknown: gateway.includes("resend") ? "resend" : "hold",
      retry: { for_ms: 6 * 3_600_000 },
      ...change,
    });
  }

  async #found(): Promise<void> {
    await this.#live();
    for (const [name, opening, gateways] of [
      ["small", 60, ["hold", "resend"]],
      ["large", null, ["hold"]],
    ] as const) {
      const plan = { name: "basic", credit: { sms: opening } };
      const account = await this.#it.account({ name: `${name}-${this.#seed}`, plan });
      const sender = {
        ...account,
        opening,
        gateways: gateways.map((kind) => `${name}-${kind}-${this.#seed}`),
      };
      this.#senders.push(sender);
      for (const gateway of sender.gateways) await this.#configure(sender, gateway);
    }
  }

  /** The provider: takes it or not, answers or not, sometimes slowly, and reports what it likes about what it took. */
  async #answer(request: OutboundRequest): Promise<OutboundResult> {
    const { id } = readRequest(request);
    const seen: Seen = { id, at: this.#clock.now(), certainlyNot: false };
    this.#seen.push(seen);
    const gateway = request.url.split("/").at(-1)!;
    const mood = this.#calm ? 0 : this.#below(20);
    const slow = this.#calm ? 0 : this.#pick([0, 0, 0, 100, 5000, 25_000]);
    if (mood < 13) this.#schedule(gateway, id);
    if (slow > 0) await this.#clock.sleep(slow);
    if (mood < 11) return answer(200, { id: `p-${id}` });
    if (mood < 13) return noAnswer;
    if (mood === 13) return answer(500);
    seen.certainlyNot = true;
    if (mood < 16) return answer(429, {}, this.#below(2) === 0 ? {} : { "retry-after": "90" });
    if (mood === 16) return answer(400, { message: "never" });
    if (mood === 17) return answer(403, { message: "not you" });
    if (mood === 18) return answer(401, { message: "who are you" });
    return unreachable;
  }

  /** Receipts for a message that was taken: several, doubled, at any time, in any order. */
  #schedule(gateway: string, id: string): void {
    for (let i = this.#below(5); i > 0; i--) {
      const state = this.#pick(receiptWords);
      const body = this.#pick([{ id: `p-${id}` }, { ref: id }, { id: `p-${id}`, ref: id }]);
      for (let copy = this.#below(2); copy >= 0; copy--) {
        const at = this.#clock.now() + this.#pick([0, 50, 3000, 60_000, 3_600_000]);
        this.#receipts.push({ at, gateway, body: { ...body, state } });
      }
    }
  }

  /** Waits for a call, but not for one to a process that died. */
  async #ask<T>(call: Promise<T>): Promise<T | null> {
    let answered: { value: T } | null = null;
    void call.then((value) => {
      answered = { value };
    });
    for (let i = 0; answered === null && i < 20; i++) await this.#clock.settle();
    return (answered as { value: T } | null)?.value ?? null;
  }

  async #send(): Promise<void> {
    const sender = this.#pick(this.#senders);
    const count = this.#pick([1, 1, 2, 5, 12]);
    const contacts = Array.from({ length: count }, () => {
      this.#texts += 1;
      const message = `s${this.#seed}.${this.#texts}`;
      const later = new Date(this.#clock.now() + this.#below(7200) * 1000).toISOString();
      return {
        number: `+49151${1_000_000 + this.#texts}`,
        // Now and then one of two segments.
        message: this.#below(6) === 0 ? message.padEnd(170, ".") : message,
        ...(this.#below(4) === 0 ? { schedule_at: later.slice(0, 19).replace("T", " ") } : {}),
        ...(this.#below(3) === 0 ? { gateway_identifier: this.#pick(sender.gateways) } : {}),
      };
    });
    this.#it.as(sender);
    const reply = await this.#ask(this.#it.send(contacts));
    // A process that dies between the commit and the answer does not answer.
    const unanswered = reply === null || (this.#dieAt === "accept.after" && this.#it.dead());
    const result = unanswered ? "unknown" : reply.statusCode === 200 ? "accepted" : "refused";
    const ids = result === "accepted" ? reply!.json().data.contact.map((one: { id: string }) => one.id) : [];
    this.#requests.push({ markers: contacts.map(({ message }) => message), result, ids });
  }

  async #cancel(): Promise<void> {
    const request = this.#requests.findLast(({ ids }) => ids.length > 0 && this.#below(2) === 0);
    if (!request) return;
    const id = this.#pick(request.ids);
    for (const sender of this.#senders) {
      this.#it.as(sender);
      const reply = await this.#ask(this.#it.post(`/api/cancel/sms/${id}`));
      if (reply?.statusCode === 200 && !this.#cancelled.has(id))
        this.#cancelled.set(id, this.#clock.now() + 1);
    }
  }

  async #deliverReceipts(all = false): Promise<void> {
    const due = this.#receipts.filter(({ at }) => all || at <= this.#clock.now());
    for (const receipt of due) {
      const reply = await this.#ask(report(this.#it, receipt.gateway, receipt.body));
      // Otherwise the provider tries again.
      if (reply?.statusCode === 200) this.#receipts.splice(this.#receipts.indexOf(receipt), 1);
      if (this.#it.dead()) return;
    }
  }

  async #step(): Promise<void> {
    if (this.#it.dead()) {
      await this.#it.kill();
      await this.#live(this.#below(3) === 0 ? this.#pick(crashPoints) : undefined);
    }
    const dice = this.#below(20);
    if (dice < 8) await this.#send();
    else if (dice < 10) await this.#cancel();
    else if (dice < 16) await this.#clock.advance(this.#pick([1, 50, 1000, 20_000, 300_000, 1_800_000]));
    else if (dice === 16) await this.#it.kill();
    else if (dice === 17) {
      await this.#it.kill();
      await this.#live(this.#pick(crashPoints));
    } else if (dice === 18) {
      const sender = this.#pick(this.#senders);
      const pace = this.#pick([{}, { per_second: 2 }, { concurrency: 1 }, { per_day: 30 }]);
      const change = this.#configure(sender, this.#pick(sender.gateways), {
        pace,
        active: this.#below(4) > 0,
      });
      await this.#ask(change);
    } else {
      this.#it.storageFault(this.#pick(["io", "full", "unavailable"] as const));
      await this.#send();
      await this.#clock.advance(1500);
      this.#it.storageFault(null);
    }
    if (!this.#it.dead()) await this.#deliverReceipts();
  }

  async run(): Promise<Evidence> {
    await this.#found();
    for (let step = 0; step < steps; step++) await this.#step();
    await this.#drain();
    const evidence = await this.#evidence();
    // Later histories on this database have lanes of their own.
    for (const sender of this.#senders)
      for (const gateway of sender.gateways) await this.#configure(sender, gateway, { active: false });
    await this.#it.kill();
    return evidence;
  }

  async #drain(): Promise<void> {
    this.#calm = true;
    await this.#it.kill();
    await this.#live();
    for (const sender of this.#senders)
      for (const gateway of sender.gateways) await this.#configure(sender, gateway);
    await this.#clock.advance(12 * 3_600_000);
    await this.#deliverReceipts(true);
    await this.#clock.advance(3_600_000);
  }

  async #evidence(): Promise<Evidence> {
    const stored: Stored[] = [];
    const mayRepeat = new Set<string>();
    const accounts: Evidence["accounts"] = [];
    for (const sender of this.#senders) {
      this.#it.as(sender);
      let cursor: string | null = null;
      do {
        const url = `/api/get/sms?limit=200${cursor === null ? "" : `&cursor=${cursor}`}`;
        const page: { data: { id: string; gateway_identifier: string }[]; next_cursor: string | null } = (
          await this.#it.get(url)
        ).json();
        for (const { id, gateway_identifier } of page.data) {
          const found = await this.#database.run(findMessage, { accountId: sender.id, channel: "sms", id });
          stored.push(found!);
          if (gateway_identifier.includes("resend")) mayRepeat.add(id);
          // One that moved to another gateway after its repeat.
          if (sender.gateways.length > 1 && found!.message.resends > 0) mayRepeat.add(id);
        }
        cursor = page.next_cursor;
      } while (cursor !== null);
      const [credit] = await this.#database.run(readCredits, sender.id);
      const counts = await this.#database.run(countByStatus, sender.id);
      accounts.push({ id: sender.id, opening: sender.opening, remaining: credit?.remaining ?? null, counts });
    }
    return {
      requests: this.#requests,
      seen: this.#seen,
      stored,
      mayRepeat,
      cancelled: this.#cancelled,
      accounts,
    };
  }
}
