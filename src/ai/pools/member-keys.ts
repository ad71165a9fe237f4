// The keys of a member that has several: they are used in turn, and a key that the vendor limits or refuses pauses separately. The member
// pauses when all of them do. Pure: the caller passes the time in.

import { cooldownMs } from "#ai/health/cooldown.ts";
import type { Failure } from "#providers/provider.ts";

type Why = "cooling_down" | "unauthorized";

/** One key: the settings with it, and its position in the member's list, from 1. */
export interface MemberKey {
  position: number;
  settings: unknown;
}

interface Rest {
  /** Monotonic ms. */
  until: number;
  why: Why;
}

/** The state of a key. `until`: monotonic ms; null if it is in use. */
export interface KeyStatus {
  position: number;
  state: "up" | Why;
  until: number | null;
}

/** The map key of a pause that applies to all models. */
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
   * The key for a request: the next usable one in turn; if none is usable, the one that is back first. `spent`: positions of those that
   * failed in this call, which come last.
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
   * The vendor limited or refused the key: it pauses for `retryAfterMs`, or as long as a member with one key would; after a limit, only for
   * the model. `restsUntil`: all keys pause, until then for the model: until the first key at its limit is back, otherwise the first
   * refused one; null if another key may be used. `isNews`: the key was not known to be refused.
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

  /** The state of each key; one that is limited for any model is cooling down. */
  list(now: number): KeyStatus[] {
    return this.#keys.map(({ key: { position }, rests }) => {
      const refused = restOf(rests, allModels, now);
      const limited = [...rests.values()].filter(({ until }) => until > now);
      const rest = refused ?? limited.sort((a, b) => a.until - b.until)[0] ?? null;
      return { position, state: rest?.why ?? "up", until: rest?.until ?? null };
    });
  }
}

/** What prevents the key from being used for the model, and until when; null if nothing does. A refusal takes precedence over a limit. */
function restOf(rests: ReadonlyMap<string, Rest>, model: string, now: number): Rest | null {
  const [refused, limited] = [rests.get(allModels), rests.get(model)].map((rest) =>
    rest !== undefined && rest.until > now ? rest : null,
  );
  if (!refused || !limited) return refused ?? limited ?? null;
  return { why: refused.why, until: Math.max(refused.until, limited.until) };
}
