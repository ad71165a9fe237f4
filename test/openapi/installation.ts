// The server that the generated clients and schemathesis talk to: the real process with a temporary database.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort, type Server, startServer } from "../faults/server.ts";
import { openVendor } from "./vendor.ts";

export const apiKey = `tl_${"a".repeat(32)}`;
export const poolKey = `tlp_${"b".repeat(32)}`;
export const managementToken = `tlm_${"c".repeat(43)}`;

const sandbox = { kind: "sandbox", default: true, settings: {} };

/** `caller` owns the API key and the pool key. Management requests are about `managed`, so they cannot change a key. */
const provisioning = (vendorUrl: string) => ({
  accounts: [
    {
      name: "caller",
      api_key: apiKey,
      gateways: [
        { ...sandbox, identifier: "caller-sms", channel: "sms" },
        { ...sandbox, identifier: "caller-email", channel: "email" },
      ],
      pools: [
        {
          name: "default",
          members: [
            { name: "echo", kind: "sandbox", models: ["echo"], embedding_models: ["echo"] },
            // Serves what the sandbox does not.
            {
              name: "vendor",
              kind: "openai-compatible",
              image_models: ["image"],
              speech_models: ["speech"],
              transcription_models: ["transcription"],
              moderation_models: ["moderation"],
              rerank_models: ["rerank"],
              settings: { base_url: vendorUrl, api_key: "sk-upstream-0123456789abcdef" },
            },
          ],
          keys: [{ name: "app", key: poolKey }],
        },
      ],
    },
    { name: "managed", gateways: [{ ...sandbox, identifier: "managed-sms", channel: "sms" }] },
  ],
  management_tokens: [{ name: "operator", token: managementToken, role: "operator" }],
});

export interface Installation {
  server: Server;
  /** The id of the account that management requests are about. */
  managed: string;
  close(): Promise<void>;
}

export async function openInstallation(folder: string): Promise<Installation> {
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  const provision = join(folder, "provision.json");
  const vendor = await openVendor();
  writeFileSync(provision, JSON.stringify(provisioning(vendor.url)));
  const server = await startServer({
    port: await freePort(),
    logFile: join(folder, "server.log"),
    env: {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_PROVISION: provision,
      TRUNKLINE_METRICS_TOKEN: "m".repeat(32),
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "offline.mjs")).href}`,
    },
  });
  const reply = await fetch(`${server.base}/api/manage/v1/accounts?search=managed`, {
    headers: { authorization: `Bearer ${managementToken}` },
  });
  const { data } = (await reply.json()) as { data: { id: string }[] };
  const close = async () => {
    await server.kill();
    await vendor.close();
  };
  return { server, managed: data[0]!.id, close };
}
