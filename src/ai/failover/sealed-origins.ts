// Remembers who made the sealed reasoning that clients send back. It is sent to members that can open it and not to others. The memory is
// limited and private to the process: values that it does not know are sent unchanged, and a member's refusal of them is remembered too.

import { hash } from "node:crypto";

/** About 10 MB; a coding agent seals one to three values in each of its turns. */
const maxRemembered = 50_000;
/** Maximum number of members that are remembered to have refused one value. */
const maxRefusals = 8;

/** `maker` is null if it is not known. */
interface Origin {
  maker: string | null;
  refusedBy: readonly string[];
}

/** Makers are named by those who share a seal, or by the member's id (`makerOf`). */
export class SealedOrigins {
  /** By the hash of the sealed value; the least recently seen one is dropped first. */
  readonly #origins = new Map<string, Origin>();
  readonly #max: number;

  constructor(max = maxRemembered) {
    this.#max = max;
  }

  /** The maker has sealed these. */
  made(values: readonly string[], maker: string): void {
    for (const value of values) this.#put(keyOf(value), { maker, refusedBy: [] });
  }

  /** Some of these could not be opened; it is not known which ones. */
  refused(values: readonly string[], by: string): void {
    for (const value of values) {
      const key = keyOf(value);
      const { maker = null, refusedBy = [] } = this.#origins.get(key) ?? {};
      const refusals = [...refusedBy.filter((other) => other !== by), by].slice(-maxRefusals);
      this.#put(key, { maker: maker === by ? null : maker, refusedBy: refusals });
    }
  }

  /** Those of the values that `maker` cannot open, as far as is known. */
  foreign(values: readonly string[], maker: string): ReadonlySet<string> {
    const foreign = new Set<string>();
    for (const value of values) {
      const key = keyOf(value);
      const origin = this.#origins.get(key);
      if (origin === undefined) continue;
      this.#put(key, origin);
      if (origin.refusedBy.includes(maker) || (origin.maker !== null && origin.maker !== maker))
        foreign.add(value);
    }
    return foreign;
  }

  /** The maker of the newest value whose maker is known; null if no maker is known. */
  newestMaker(values: readonly string[]): string | null {
    for (const value of values.toReversed()) {
      const maker = this.#origins.get(keyOf(value))?.maker ?? null;
      if (maker !== null) return maker;
    }
    return null;
  }

  get isEmpty(): boolean {
    return this.#origins.size === 0;
  }

  #put(key: string, origin: Origin): void {
    this.#origins.delete(key);
    if (this.#origins.size >= this.#max) this.#origins.delete(this.#origins.keys().next().value as string);
    this.#origins.set(key, origin);
  }
}

const keyOf = (value: string) => hash("sha256", value, "base64url").slice(0, 22);
