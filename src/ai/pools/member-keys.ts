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

/** How a key is. `until`: monotonic ms; null: it is used. */
export interface KeyStatus {
  position: number;
  state: "up" | Why;
  until: number | null;
}

/** The name of a key's rest that holds for all models. */
const allModels = "";

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

  /** The key for a request: the next in turn of those that may be used; if none may, the one that is back first. */
  next(model: string, now: number): MemberKey {
    const count = this.#keys.length;
    const ordered = this.#keys.map((_, at) => this.#keys[(this.#turn + at) % count]!);
    this.#turn = (this.#turn + 1) % count;
    const until = ordered.map(({ rests }) => restOf(rests, model, now)?.until ?? 0);
    return ordered[until.indexOf(Math.min(...until))]!.key;
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
   * the model alone. `restsUntil`: when the first key is back for the model, and why that one rests; null: another key may be used.
   * `isNews`: the key was not known to be refused.
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
    return { restsUntil: resting.length === all.length ? resting[0]! : null, isNews };
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

/** The rest that keeps the key from a request for the model; null: none does. */
function restOf(rests: ReadonlyMap<string, Rest>, model: string, now: number): Rest | null {
  const known = [rests.get(allModels), rests.get(model)].filter(
    (rest) => rest !== undefined && rest.until > now,
  );
  return known.sort((a, b) => b!.until - a!.until)[0] ?? null;
}
