// Which kinds of requests the models of a member fail at. A server that answers 500 may mean only this request (an image, tools, a model
// that does not fit into its memory): the kind pauses at the model, and the member's other models and kinds of requests continue. Pure: the
// caller passes the time in.

export const failingRules = {
  /** The kind pauses after this many failures in a row. */
  consecutiveFailures: 2,
  /** The first pause; it doubles with each later failure, up to `maxRestMs`. */
  firstRestMs: 8_000,
  maxRestMs: 60_000,
} as const;

/** Kinds are combinations of a dozen words, so a member has few of them. The one that failed longest ago is dropped first. */
const maxKinds = 256;

interface Failing {
  model: string;
  failures: number;
  /** Monotonic ms. */
  restsUntil: number;
}

/** A request without special features. */
export const plainKind = "";

export class FailingKinds {
  readonly #failing = new Map<string, Failing>();

  /** Nearly always nothing has failed. */
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

  /** Whether requests of this kind are sent to other members first. */
  isResting(model: string, kind: string, now: number): boolean {
    return (this.#failing.get(nameOf(model, kind))?.restsUntil ?? now) > now;
  }

  /** The number of models at which plain requests currently fail that often in a row: more than one counts against the member. */
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
