// The service that the commands and programs of the documentation ask, started from one file with what they name.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { freePort, type Server, startServer } from "../faults/server.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const apiKey = "tl_0123456789abcdef0123456789abcdef";
const poolKey = "tlp_0123456789abcdef0123456789abcdef";
const token = "tlm_0123456789abcdef0123456789abcdef";

/** What a reader has after the first start: an account with sandboxes, a pool, keys, a webhook and an operator's token. */
const provision = {
  accounts: [
    {
      name: "acme",
      country: "DE",
      api_key: apiKey,
      gateways: ["sms", "whatsapp", "email"].map((channel) => ({
        identifier: `${channel}-main`,
        channel,
        kind: "sandbox",
        default: true,
      })),
      // Port 9 takes no connections.
      webhooks: [{ url: "http://127.0.0.1:9/hook" }],
      pools: [
        {
          name: "default",
          members: [{ name: "sandbox", kind: "sandbox", models: ["echo"] }],
          keys: [{ name: "app", key: poolKey }],
        },
      ],
    },
  ],
  management_tokens: [{ name: "docs", token, role: "operator" }],
};

export interface Service {
  /** Where commands and programs run: with `invoice.pdf`, the data folder and the packages that programs import. */
  folder: string;
  environment: Record<string, string>;
  /** A command or a program with this service's address and keys in place of those that pages have. */
  filledIn(code: string, lastMessage: string | null): string;
  close(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-docs-"));
  writeFileSync(join(folder, "invoice.pdf"), "%PDF-1.4\n%%EOF\n");
  writeFileSync(join(folder, "provision.json"), JSON.stringify(provision));
  installPackages(folder);
  const server: Server = await startServer({
    env: {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_PROVISION: join(folder, "provision.json"),
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
      TRUNKLINE_MASTER_KEY: "a master key for the documentation alone",
    },
    port: await freePort(),
    logFile: join(folder, "server.log"),
  });
  const URL = `${server.base}/api/manage/v1`;
  const listed = await fetch(`${URL}/accounts/acme/webhooks`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const webhooks = (await listed.json()) as { data: { id: string }[] };
  return {
    folder,
    environment: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      TRUNKLINE_API_KEY: apiKey,
      TRUNKLINE_POOL_KEY: poolKey,
      URL,
      TOKEN: token,
      ACCOUNT: "acme",
      WEBHOOK: webhooks.data[0]?.id ?? "",
    },
    filledIn: (code, lastMessage) =>
      code
        .replaceAll("http://127.0.0.1:8080", server.base)
        .replaceAll("https://sms.example.com", server.base)
        .replaceAll("TRUNKLINE_API_KEY=…", `TRUNKLINE_API_KEY=${apiKey}`)
        .replaceAll("tl_…", apiKey)
        .replaceAll("tlp_…", poolKey)
        .replaceAll("tlm_…", token)
        .replaceAll("msg_…", lastMessage ?? "msg_…"),
    async close() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The packages that a reader installs; the TypeScript client is in no registry, so its source takes its place. */
function installPackages(folder: string): void {
  for (const name of ["openai", "@anthropic-ai/sdk", "@google/genai", "resend", "twilio"]) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "test/node_modules", name), place, "dir");
  }
  const client = join(folder, "node_modules/trunkline-client");
  mkdirSync(client);
  const source = pathToFileURL(join(root, "clients/typescript/src/index.ts")).href;
  writeFileSync(
    join(client, "package.json"),
    JSON.stringify({ name: "trunkline-client", main: "index.mjs" }),
  );
  writeFileSync(join(client, "index.mjs"), `export * from ${JSON.stringify(source)};\n`);
}
