// The gateway under test: a whole system on the machine's own clock, listening on loopback, with one pool for each
// scenario: a primary member that has the fault, and a fallback behind it.

import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accountInput } from "#configure/account.ts";
import { upsertPool } from "#configure/pool.ts";
import { poolInput } from "#contract/manage/pools/pools.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { systemRuntime } from "#runtime/system-runtime.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";
import { openSystem } from "../../src/system.ts";
import { upsertAccount } from "../configure/upsert-account.ts";
import { memoryLog } from "../log.ts";
import type { Profile } from "./profile.ts";

export type StreamMode = "live" | "complete";

export interface PoolInput {
  name: string;
  mode: StreamMode;
  /** Where its members are. */
  url: string;
  primary: string;
  fallback: string;
}

export interface Installation {
  /** For an OpenAI client. */
  baseUrl: string;
  /** Makes a pool and returns its key. */
  pool(options: PoolInput): Promise<string>;
  close(): Promise<void>;
}

export async function install(profile: Profile): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-failover-"));
  const runtime = systemRuntime({ logLevel: "error", outboundAllow: readAllowList("127.0.0.0/8") });
  const system = await openSystem(
    { ...runtime, log: memoryLog("error") },
    {
      masterKey: "a master key that is only used in tests",
      publicUrl: null,
      maxContacts: 100,
      answerBytes: 16 * 1024 * 1024,
      maxBodyBytes: 1_048_576,
      maxUploadBytes: 1_048_576,
      maxKeylessBodyBytes: 1_048_576,
      maxBodiesBytes: 134_217_728,
      maxConnections: 10_000,
      linkedDevices: { inAll: 20, ofAccount: 5 },
      trustedProxies: [],
      metricsToken: null,
      outboundAllow: [],
      logRequests: false,
      logSuccessEvery: 1,
      dashboardFolder: null,
      showApiKeys: true,
      takeoverMs: 45_000,
      heartbeatMs: 3_600_000,
      pollMs: 3_600_000,
      maintenanceMs: 3_600_000,
      retention: {
        messagesMs: null,
        webhooksMs: 86_400_000,
        auditMs: null,
        usageMs: 86_400_000,
        deferredMs: 86_400_000,
      },
    },
    await openSqlite({ path: join(folder, "trunkline.db") }),
  );
  await system.start();
  await system.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = system.app.server.address() as AddressInfo;
  const accountId = await upsertAccount(system.core, accountInput.parse({ name: "bench" }));
  return {
    baseUrl: `http://127.0.0.1:${port}/api/ai/v1`,
    pool: async ({ name, mode, url, primary, fallback }) => {
      const { patienceMs } = profile;
      const timeouts = {
        headers_ms: patienceMs,
        first_token_ms: patienceMs,
        idle_ms: patienceMs,
        thinking_ms: patienceMs,
      };
      const member = { kind: "openai-compatible", settings: { base_url: url }, timeouts };
      const input = poolInput.parse({
        name,
        stream_mode: mode,
        // The bench's public rules want to hear who answered.
        answer_model: "served",
        members: [
          { ...member, name: "primary", models: [primary], priority: 1, context_tokens: 8_000 },
          { ...member, name: "fallback", models: [fallback], priority: 2, context_tokens: 128_000 },
        ],
        keys: [{ name: "bench" }],
      });
      const made = await upsertPool(system.core, accountId, input);
      if (made.kind !== "saved") throw new Error(JSON.stringify(made.issues));
      return made.issuedKeys[0]!.key;
    },
    close: async () => {
      await system.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
