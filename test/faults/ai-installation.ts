// The AI gateway as it is run: two server processes on one PostgreSQL, a provider, and clients that know both.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openaiPeer, type Peer, type PeerAnswer } from "../http/openai-peer.ts";
import { freshDatabase } from "../postgres.ts";
import { type DatabaseLink, databaseLink } from "./database-link.ts";
import { freePort, type Server, startServer } from "./server.ts";

/** So soon does a silent process count as dead here. */
export const takeoverMs = 1500;

const token = `tlm_${"o".repeat(40)}`;

/** Keys by name, and what bounds them. */
export const keys = {
  unlimited: {},
  at_once: { limits: { concurrency: 40 } },
  a_minute: { limits: { requests_per_minute: 40 } },
  by_itself: { limits: { requests_per_minute: 40 } },
  roomy: { limits: { requests_per_minute: 10_000 } },
  tokens: { limits: { tokens_per_minute: 1_000 } },
  single: { limits: { concurrency: 1 } },
  budget: { budget: { tokens_per_day: 24 } },
  revoked: {},
} as const;
export type KeyName = keyof typeof keys;

const textOf = (name: string) => `tlp_${name.padEnd(32, "0")}`;

export interface Reply {
  status: number;
  /** Of an error. */
  code: string | null;
  headers: Headers;
}

export interface AiInstallation {
  provider: Peer;
  link: DatabaseLink;
  processes: readonly [Server, Server];
  /** A completion; `key`: one of the above, or the text of another. No answer within 20 s is a failure. */
  ask(process: Server, key: KeyName | (string & {}), body?: object): Promise<Reply>;
  /** Revokes a key at this process. */
  revoke(process: Server, key: KeyName): Promise<void>;
  /** What each key has used, as a process tells it: how many calls by key name, those without are left out. */
  used(process: Server): Promise<Record<string, { requests: number; tokens: number }>>;
  close(): Promise<void>;
}

export async function openAiInstallation(answer: PeerAnswer): Promise<AiInstallation> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-ai-"));
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  const provider = await openaiPeer(answer);
  const database = await freshDatabase();
  const link = await databaseLink(database.url);
  const provision = join(folder, "provision.json");
  writeFileSync(provision, JSON.stringify(provisioning(provider.url)));
  const start = async (name: string) =>
    await startServer({
      port: await freePort(),
      logFile: join(folder, `${name}.log`),
      env: {
        TRUNKLINE_DATA_DIR: join(folder, "data"),
        TRUNKLINE_PROVISION: provision,
        TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
        TRUNKLINE_TAKEOVER_MS: String(takeoverMs),
        TRUNKLINE_DATABASE_URL: link.url,
      },
    });
  // One after the other: the first one makes what the file names.
  const processes = [await start("first"), await start("second")] as const;

  async function manage(process: Server, method: string, path: string): Promise<{ data: never }> {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${process.base}/api/manage/v1${path}`, { method, headers });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    // A deletion has no body.
    return (reply.status === 204 ? { data: null } : await reply.json()) as { data: never };
  }
  const only = async (path: string) =>
    ((await manage(processes[1], "GET", path)).data as { id: string }[])[0]!.id;
  const account = await only("/accounts");
  const pool = `/accounts/${account}/pools/${await only(`/accounts/${account}/pools`)}`;

  return {
    provider,
    link,
    processes,
    ask: async (process, key, body = {}) => {
      const reply = await fetch(`${process.base}/api/ai/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${textOf(key)}`, "content-type": "application/json" },
        body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }),
        signal: AbortSignal.timeout(20_000),
      });
      const { error } = (await reply.json()) as { error?: { code: string } };
      return { status: reply.status, code: error?.code ?? null, headers: reply.headers };
    },
    revoke: async (process, key) => {
      const listed = (await manage(process, "GET", `${pool}/keys`)).data as { id: string; name: string }[];
      const { id } = listed.find(({ name }) => name === key)!;
      await manage(process, "DELETE", `${pool}/keys/${id}`);
    },
    used: async (process) => {
      const groups = (await manage(process, "GET", `${pool}/usage?by=key`)).data as {
        name: string;
        requests: number;
        prompt_tokens: number;
        completion_tokens: number;
      }[];
      return Object.fromEntries(
        groups.map((group) => [
          group.name,
          { requests: group.requests, tokens: group.prompt_tokens + group.completion_tokens },
        ]),
      );
    },
    close: async () => {
      await Promise.all(processes.map((process) => process.kill()));
      await provider.close();
      await link.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a client of this key says it is. */
export const bearerOf = (key: KeyName) => `Bearer ${textOf(key)}`;

function provisioning(url: string): object {
  const member = { name: "primary", kind: "openai-compatible", models: ["gpt"], settings: { base_url: url } };
  const made = Object.entries(keys).map(([name, bounds]) => ({ name, key: textOf(name), ...bounds }));
  return {
    management_tokens: [{ name: "test", token, role: "operator" }],
    accounts: [
      { name: "acme", time_zone: "UTC", pools: [{ name: "default", members: [member], keys: made }] },
    ],
  };
}
