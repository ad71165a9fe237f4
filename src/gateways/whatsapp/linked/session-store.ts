// What the session itself stores of a device, besides the bridge's values: the link, the state that outlives a connection, the people it
// wrote to, and the lists that wait for an answer.

import type { LinkState, LinkWord } from "#contract/manage/link-state.ts";
import type { LinkedDevice, SessionState } from "#gateways/session.ts";
import type { SentList } from "./lists.ts";

/** A linked device, and since when. */
export interface Link extends LinkedDevice {
  linkedAt: number;
}

/** Why nothing may connect by itself. `until`: epoch ms; null until a person decides. */
export interface Stop {
  state: LinkState;
  word?: LinkWord;
  reason: string;
  until: number | null;
}

/** The chats that were begun on one UTC day. */
export interface NewChats {
  day: number;
  count: number;
}

interface Singles {
  link: Link;
  /** The number that was last linked, even if its link has ended. */
  number: string;
  stop: Stop;
  newChats: NewChats;
}

const prefix = "own:";

export class SessionStore {
  readonly #state: SessionState;
  readonly #values: Map<string, string>;

  constructor(state: SessionState, values: ReadonlyMap<string, string>) {
    this.#state = state;
    this.#values = new Map([...values].filter(([key]) => SessionStore.owns(key)));
  }

  /** Whether a stored value belongs to the session; the bridge must not change it. */
  static owns(key: string): boolean {
    return key.startsWith(prefix);
  }

  get<Name extends keyof Singles>(name: Name): Singles[Name] | null {
    return this.#read(name);
  }

  async set(changes: { [Name in keyof Singles]?: Singles[Name] | null }): Promise<void> {
    await this.#write(Object.entries(changes));
  }

  /** Whether a message was sent to the number before, or received from it. */
  knows(number: string): boolean {
    return this.#values.has(`${prefix}chat:${number}`);
  }

  async remember(number: string, newChats: NewChats | null): Promise<void> {
    const counted = newChats === null ? [] : [["newChats", newChats] as const];
    await this.#write([[`chat:${number}`, 1], ...counted]);
  }

  listOf(number: string): SentList | null {
    return this.#read(`list:${number}`);
  }

  async rememberList(number: string, list: SentList): Promise<void> {
    await this.#write([[`list:${number}`, list]]);
  }

  #read<Value>(name: string): Value | null {
    const text = this.#values.get(prefix + name);
    return text === undefined ? null : JSON.parse(text);
  }

  async #write(changes: readonly (readonly [name: string, value: unknown])[]): Promise<void> {
    const texts = changes.map(
      ([name, value]) => [prefix + name, value == null ? null : JSON.stringify(value)] as const,
    );
    await this.#state.save(new Map(texts));
    for (const [key, text] of texts) {
      if (text === null) this.#values.delete(key);
      else this.#values.set(key, text);
    }
  }
}
