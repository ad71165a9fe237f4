// The stored values of a device: credentials, keys, sent messages, numbers that were looked up. Everything is read from memory, and written
// to the parent first: a value counts once the parent has stored it.

import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac, randomBytes } from "node:crypto";
import type { Credentials, KeyStore, Library } from "./library.ts";

export type Changes = readonly (readonly [key: string, value: string | null])[];

/** Values that are written with the next keys of the same work, in one transaction. */
export const alongside = new AsyncLocalStorage<{ changes(): Changes }>();

export class DeviceValues implements KeyStore {
  readonly #library: Library;
  readonly #values: Map<string, string>;
  readonly #commit: (changes: Changes) => Promise<void>;
  #salt: Buffer | null = null;
  #isForgotten = false;
  readonly #writes = new Set<Promise<void>>();
  /** Written with the keys that depend on them, such as the counter of pre-keys. */
  credentials: Credentials | null = null;

  /** `commit` resolves when the changes are stored, and rejects if they are not. */
  constructor(
    library: Library,
    values: Iterable<readonly [string, string]>,
    commit: (changes: Changes) => Promise<void>,
  ) {
    this.#library = library;
    this.#values = new Map(values);
    this.#commit = commit;
    const salt = this.#values.get("salt");
    if (salt !== undefined) this.#salt = Buffer.from(salt, "base64");
    const credentials = this.#values.get("creds");
    if (credentials !== undefined) this.credentials = this.#parse(credentials) as Credentials;
  }

  /** Whether a user, by number or hidden id, is the linked account itself. */
  isOwn(user: string | undefined): boolean {
    const { me } = this.credentials ?? {};
    const own = [me?.id, me?.lid].map((jid) => this.#library.jidDecode(jid)?.user);
    return user !== undefined && own.includes(user);
  }

  /** Deletes the current link, and begins another one. */
  async restart(): Promise<Credentials> {
    await this.forget();
    this.#isForgotten = false;
    this.credentials = this.#library.initAuthCreds();
    return this.credentials;
  }

  /** Deletes the current link. Keys that the library still wants to store for it are refused. */
  async forget(): Promise<void> {
    this.#isForgotten = true;
    this.credentials = null;
    await Promise.allSettled(this.#writes);
    const gone = [...this.#values.keys()].filter((key) => !key.startsWith("known:"));
    if (gone.length > 0) await this.write(gone.map((key) => [key, null]));
    this.#salt = null;
  }

  value(key: string): string | undefined {
    return this.#values.get(key);
  }

  keys(prefix: string): string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix));
  }

  drop(key: string): void {
    this.#values.delete(key);
  }

  async write(changes: Changes): Promise<void> {
    const write = this.#write(changes);
    this.#writes.add(write);
    try {
      await write;
    } finally {
      this.#writes.delete(write);
    }
  }

  async #write(changes: Changes): Promise<void> {
    await this.#commit(changes);
    for (const [key, value] of changes) {
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, value);
    }
  }

  /** Stores the credentials once a device is linked. */
  async saveCredentials(): Promise<void> {
    const changes = this.#credentialChanges();
    if (changes.length > 0) await this.write(changes);
  }

  async get(type: string, ids: string[]): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const id of ids) {
      const text = this.#values.get(this.#keyOf(type, id));
      if (text === undefined) continue;
      const value = this.#parse(text);
      found[id] =
        type === "app-state-sync-key"
          ? this.#library.proto.Message.AppStateSyncKeyData.fromObject(value)
          : value;
    }
    return found;
  }

  async set(data: Record<string, Record<string, unknown>>): Promise<void> {
    if (this.#isForgotten) throw new Error("The device is not linked any more.");
    const changes: [string, string | null][] = [];
    for (const [type, values] of Object.entries(data))
      for (const [id, value] of Object.entries(values ?? {}))
        changes.push([this.#keyOf(type, id), value == null ? null : this.#format(value)]);
    changes.push(...this.#saltChange(), ...this.#credentialChanges());
    for (const [key, value] of alongside.getStore()?.changes() ?? []) changes.push([key, value]);
    await this.write(changes);
  }

  /** Ids contain phone numbers, so the database gets a digest of them. */
  #keyOf(type: string, id: string): string {
    this.#salt ??= randomBytes(32);
    const digest = createHmac("sha256", this.#salt).update(`${type}:${id}`).digest("base64url");
    return `key:${type}:${digest.slice(0, 27)}`;
  }

  #saltChange(): [string, string][] {
    if (this.#salt === null || this.#values.has("salt")) return [];
    return [["salt", this.#salt.toString("base64")]];
  }

  #credentialChanges(): [string, string][] {
    const { credentials } = this;
    if (credentials?.me === undefined || credentials.account === undefined) return [];
    const text = this.#format(credentials);
    return text === this.#values.get("creds") ? [] : [["creds", text]];
  }

  #format(value: unknown): string {
    return JSON.stringify(value, this.#library.BufferJSON.replacer);
  }

  #parse(text: string): unknown {
    return JSON.parse(text, this.#library.BufferJSON.reviver);
  }
}
