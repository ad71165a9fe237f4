// The keys of a member that has several: they are used in turn, and one that the vendor limits or refuses rests by itself.
// The member rests when all of them do. Pure: time comes in.

import { cooldownMs } from "#ai/health/cooldown.ts";
import type { Failure } from "#providers/provider.ts";

type Why = "cooling_down" | "unauthorized";

/** One key: the settings with it, and its place in the member's list, from 1 on. */
export interface MemberKey {
  position: number;
  settings: unknown;
}

interface Rest {
  /** Monotonic ms. */
  until: number;
  why: Why;
}

/** How a key is. `until`: monotonic ms; null if it is used. */
export interface KeyStatus {
  position: number;
  state: "up" | Why;
  until: number | null;
}

/** The name of a key's rest that holds for all models. */
const allModels = "";

const none: ReadonlySet<number> = new Set();

export class MemberKeys {
  readonly #keys: readonly { key: MemberKey; rests: Map<string, Rest> }[];
  #turn = 0;

  /** `settings`: the member's settings once for each key. */
  constructor(settings: readonly unknown[]) {
    this.#keys = settings.map((each, at) => ({
      key: { position: at + 1, settings: each },
      rests: new Map(),
    }));
  }

  /**
   * The key for a request: the next in turn of those that may be used; if none may, the one that is back first. `spent`: places
   * of those that the call had no luck with, which come last.
   */
  next(model: string, now: number, spent: ReadonlySet<number> = none): MemberKey {
    const count = this.#keys.length;
    const ordered = this.#keys.map((_, at) => this.#keys[(this.#turn + at) % count]!);
    this.#turn = (this.#turn + 1) % count;
    const fresh = ordered.filter(({ key }) => !spent.has(key.position));
    const among = fresh.length > 0 ? fresh : ordered;
    const until = among.map(({ rests }) => restOf(rests, model, now)?.until ?? 0);
    return among[until.indexOf(Math.min(...until))]!.key;
  }

  /** Whether a key that is not `spent` may be used for the model. */
  hasFresh(model: string, now: number, spent: ReadonlySet<number>): boolean {
    return this.#keys.some(
      ({ key, rests }) => !spent.has(key.position) && restOf(rests, model, now) === null,
    );
  }

  /** The settings with a key that was not refused, for requests that cost nothing. */
  settingsFor(now: number): unknown {
    const fine = this.#keys.find(({ rests }) => restOf(rests, allModels, now) === null);
    return (fine ?? this.#keys[0]!).key.settings;
  }

  /** The vendor answered a request with the key. */
  answered({ position }: MemberKey, model: string): void {
    const { rests } = this.#keys[position - 1]!;
    rests.delete(model);
    rests.delete(allModels);
  }

  /**
   * The vendor limited or refused the key: it rests for `retryAfterMs`, or as long as a member does that has one key; of a limit, for
   * the model alone. `restsUntil`: all keys rest, until then for the model: until the first of those is back that are only at their
   * limits, else of the refused ones; null if another key may be used. `isNews`: the key was not known to be refused.
   */
  failed(
    { position }: MemberKey,
    model: string,
    { kind, retryAfterMs }: Pick<Failure, "kind" | "retryAfterMs">,
    now: number,
  ): { restsUntil: Rest | null; isNews: boolean } {
    const { rests } = this.#keys[position - 1]!;
    const refused = kind === "unauthorized";
    const isNews = refused && rests.get(allModels) === undefined;
    const until = now + cooldownMs(refused ? "unauthorized" : "rate_limited", retryAfterMs);
    rests.set(refused ? allModels : model, { until, why: refused ? "unauthorized" : "cooling_down" });
    const all = this.#keys.map((other) => restOf(other.rests, model, now));
    const resting = all.filter((rest) => rest !== null).sort((a, b) => a.until - b.until);
    if (resting.length < all.length) return { restsUntil: null, isNews };
    return { restsUntil: resting.find(({ why }) => why === "cooling_down") ?? resting[0]!, isNews };
  }

  /** How each key is; one that is limited for any model cools down. */
  list(now: number): KeyStatus[] {
    return this.#keys.map(({ key: { position }, rests }) => {
      const refused = restOf(rests, allModels, now);
      const limited = [...rests.values()].filter(({ until }) => until > now);
      const rest = refused ?? limited.sort((a, b) => a.until - b.until)[0] ?? null;
      return { position, state: rest?.why ?? "up", until: rest?.until ?? null };
    });
  }
}

/** What keeps the key from a request for the model, and until when; null if nothing does. A refusal outweighs a limit. */
function restOf(rests: ReadonlyMap<string, Rest>, model: string, now: number): Rest | null {
  const [refused, limited] = [rests.get(allModels), rests.get(model)].map((rest) =>
    rest !== undefined && rest.until > now ? rest : null,
  );
  if (!refused || !limited) return refused ?? limited ?? null;
  return { why: refused.why, until: Math.max(refused.until, limited.until) };
}
