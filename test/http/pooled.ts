// A whole system that listens on a loopback port, with a pool and a key: for clients that know nothing of tests.

import type { AddressInfo } from "node:net";
import type { z } from "zod";
import { upsertPool } from "#configure/pool.ts";
import { poolInput } from "#contract/manage/pools/pools.ts";
import { type Harness, type HarnessOptions, harness } from "../harness.ts";
import type { Peer } from "./openai-peer.ts";

export type PoolOptions = Partial<z.input<typeof poolInput>>;

export interface Pooled {
  it: Harness;
  accountId: string;
  port: number;
  /** What OpenAI's clients are given as `baseURL`. */
  baseUrl: string;
  /** The key of the last pool made. */
  key: string;
  /** Makes a pool of the account, or changes it, and returns a new key of it. */
  pool(input: PoolOptions): Promise<string>;
  /** One request with the key, by `fetch`. */
  ask(
    path: string,
    init?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Reply>;
  close(): Promise<void>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, never> & { [field: string]: unknown };
}

/** A member that asks a peer. Its limits of time are real ones. */
export function memberOf(peer: Peer, more: Record<string, unknown> = {}) {
  return {
    name: "primary",
    kind: "openai-compatible",
    models: ["gpt-4o-mini"],
    settings: { base_url: peer.url, api_key: "sk-upstream-0123456789abcdef" },
    ...more,
  };
}

let keys = 0;

/** The system, with this pool; close it. */
export async function pooled(input: PoolOptions, options: HarnessOptions = {}): Promise<Pooled> {
  const it = await harness(options);
  const { id } = await it.account();
  // Providers on this machine may be asked, so they may be saved too.
  const { outbound } = it.system.core;
  const configure = { ...it.system.core, outbound: { ...outbound, rejectReason: () => null } };
  await it.system.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = it.system.app.server.address() as AddressInfo;
  const made: Pooled = {
    it,
    accountId: id,
    port,
    baseUrl: `http://127.0.0.1:${port}/api/ai/v1`,
    key: "",
    async pool(poolOptions) {
      keys += 1;
      const parsed = poolInput.parse({ name: "assistants", keys: [{ name: `key-${keys}` }], ...poolOptions });
      const result = await upsertPool(configure, id, parsed);
      if (result.kind === "invalid") throw new Error(JSON.stringify(result.issues));
      made.key = result.issuedKeys[0]?.key ?? parsed.keys[0]?.key ?? "";
      return made.key;
    },
    async ask(path, { method, body, headers = {} } = {}) {
      const response = await fetch(`${made.baseUrl}${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          authorization: `Bearer ${made.key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson ? JSON.parse(text) : {},
      };
    },
    close: () => it.close(),
  };
  await made.pool(input);
  return made;
}
