// Which kinds of requests the models of a member fail at. A server that answers 500 may mean this one request (a picture, tools,
// a model that does not fit into its memory): the kind rests at the model, and the member's other models and kinds of requests
// stay. Pure: time comes in.

export const failingRules = {
  /** After so many failures in a row the kind rests. */
  consecutiveFailures: 2,
  /** The first rest; it doubles with each request that fails after it, up to `maxRestMs`. */
  firstRestMs: 8_000,
  maxRestMs: 60_000,
} as const;

/** Kinds are made of a dozen words, so that a member has few of them. The one that failed longest ago goes first. */
const maxKinds = 256;

interface Failing {
  model: string;
  failures: number;
  /** Monotonic ms. */
  restsUntil: number;
}

/** A request without anything special. */
export const plainKind = "";

export class FailingKinds {
  readonly #failing = new Map<string, Failing>();

  /** Nearly always: nothing has failed. */
  get isEmpty(): boolean {
    return this.#failing.size === 0;
  }

  failed(model: string, kind: string, now: number): void {
    const name = nameOf(model, kind);
    const failures = (this.#failing.get(name)?.failures ?? 0) + 1;
    const { consecutiveFailures, firstRestMs, maxRestMs } = failingRules;
    const beyond = failures - consecutiveFailures;
    const restMs = beyond < 0 ? 0 : Math.min(firstRestMs * 2 ** beyond, maxRestMs);
    this.#failing.delete(name);
    this.#failing.set(name, { model, failures, restsUntil: now + restMs });
    for (const oldest of this.#failing.keys()) {
      if (this.#failing.size <= maxKinds) break;
      this.#failing.delete(oldest);
    }
  }

  answered(model: string, kind: string): void {
    this.#failing.delete(nameOf(model, kind));
  }

  /** Whether requests of this kind go to other members first. */
  isResting(model: string, kind: string, now: number): boolean {
    return (this.#failing.get(nameOf(model, kind))?.restsUntil ?? now) > now;
  }

  /** Models of which plain requests fail that often in a row at this time: more than one says something about the member. */
  failingModels(now: number): number {
    const { consecutiveFailures, maxRestMs } = failingRules;
    let models = 0;
    for (const [name, { model, failures, restsUntil }] of this.#failing) {
      const isRecent = restsUntil + maxRestMs > now;
      if (isRecent && failures >= consecutiveFailures && name === nameOf(model, plainKind)) models += 1;
    }
    return models;
  }
}

const nameOf = (model: string, kind: string) => JSON.stringify([model, kind]);
