// What a call has learned from the refusals of members: how each of them is called for the rest of it.

import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";

/** What the refusals of one member have taught. */
interface Lessons {
  /** It was called again with a lower answer limit, which happens once. */
  shortened?: true;
  /** It refused the sealed reasoning of the request and is called without any. */
  unsealed?: true;
  /** It refused a conversation without its thoughts and is called with a filler in their place. */
  filled?: true;
  /**
   * It refused the unchanged request in a format that its vendor documents, and is called with a translated one. The value: whether the path
   * was missing.
   */
  translated?: boolean;
  /** Of several keys, the positions of those that were limited or refused in this call. */
  spentKeys?: ReadonlySet<number>;
}

const nothing: Readonly<Lessons> = {};

/** The two attempts of a hedged call share it. Most calls learn nothing. */
export class Learned {
  #members: Map<Choice<Member>, Lessons> | null = null;

  about(choice: Choice<Member>): Readonly<Lessons> {
    return this.#members?.get(choice) ?? nothing;
  }

  add(choice: Choice<Member>, lessons: Lessons): void {
    this.#members ??= new Map();
    this.#members.set(choice, { ...this.about(choice), ...lessons });
  }
}
