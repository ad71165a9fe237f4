// What a transaction changed. Lanes, the fan-out and caches of this process react to it, and so do the streams of people who watch an
// account. An operation records a change where it writes the rows. The engine announces it once the transaction has committed,
// before the operation's promise resolves; a transaction that is rolled back announces nothing.
// An announcement is a hint: a process that dies in between, or whose commit is unknown, announces nothing either, so every
// listener also polls.

import type { Topic } from "#contract/manage/account-events.ts";

/**
 * `events`: the outbox has new events. `counts`: counts of messages or deliveries wait to be stored. `lanes`: lanes were added, changed or
 * removed. `pauses`: a lane was paused or resumed, so messages may have to move. `accounts`: accounts, their gateways or their keys changed.
 * `pools`: pools, members or pool keys changed.
 */
export type ChangeKind = "events" | "counts" | "lanes" | "pauses" | "accounts" | "pools";

/** What committed transactions changed. */
export interface Changes {
  kinds: readonly ChangeKind[];
  /** Lanes on which work is due, each with the earliest time (epoch ms); 0: now. */
  due: readonly (readonly [laneId: string, dueAt: number])[];
  /** For watchers of an account. `subject`: its id, or that of one of its gateways or webhook endpoints. */
  topics: readonly (readonly [subject: string, topics: readonly Topic[]])[];
}

/** The listeners of one database. */
export class ChangeListeners {
  #listeners: readonly ((changes: Changes) => void)[] = [];

  /** Returns the function that removes the listener. */
  add(listener: (changes: Changes) => void): () => void {
    // A new function each time, so that the same listener can be added twice and removed separately.
    const added = (changes: Changes) => listener(changes);
    this.#listeners = [...this.#listeners, added];
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== added);
    };
  }

  /** Never throws: the calls of the transaction still have to get their answers. */
  announce(changes: Changes): void {
    for (const listener of this.#listeners) {
      try {
        listener(changes);
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  }
}

/** Collects the changes of transactions, one after another. The engine calls `commit` or `discard` at the end of each. */
export class TransactionChanges {
  #kinds = new Set<ChangeKind>();
  #due = new Map<string, number>();
  #topics = new Map<string, Set<Topic>>();
  /** Of transactions that have committed. */
  readonly #committed: Changes[] = [];

  add(...kinds: readonly ChangeKind[]): void {
    for (const kind of kinds) this.#kinds.add(kind);
  }

  /** Work is due on the lane, at `dueAt` (epoch ms) or now. */
  due(laneId: string, dueAt = 0): void {
    const known = this.#due.get(laneId);
    if (known === undefined || dueAt < known) this.#due.set(laneId, dueAt);
  }

  topic(subject: string, ...topics: readonly Topic[]): void {
    const known = this.#topics.get(subject) ?? new Set();
    this.#topics.set(subject, known);
    for (const topic of topics) known.add(topic);
  }

  commit(): void {
    if (this.#kinds.size > 0 || this.#due.size > 0 || this.#topics.size > 0)
      this.#committed.push({
        kinds: [...this.#kinds],
        due: [...this.#due],
        topics: [...this.#topics].map(([subject, topics]) => [subject, [...topics]] as const),
      });
    this.discard();
  }

  discard(): void {
    this.#kinds = new Set();
    this.#due = new Map();
    this.#topics = new Map();
  }

  /** The changes of transactions committed since the last call. */
  take(): Changes[] {
    return this.#committed.splice(0);
  }
}
