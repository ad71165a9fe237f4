// `npm run test:clients`: Python's clients of AI APIs (openai, anthropic, google-genai, LangChain, pydantic-ai, openai-agents), as
// their package index has them, against the real process with scripted members of three formats, and Twilio's and Resend's packages, which
// send through sandboxes. It needs Python 3.11
// or later, and makes an environment of its own in `.client-tools/` (CLIENT_TOOLS: elsewhere) the first time.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openMembers } from "../ai-peers/peers.ts";
import { formatNames, poolMember } from "../ai-peers/pool-member.ts";
import { freePort, startServer } from "../faults/server.ts";
import { nextStep } from "./script.ts";

/** Versions that the test is known to pass with. */
const versions = [
  "openai==3.57.0",
  "anthropic==2.14.0",
  "google-genai==3.6.1",
  "langchain-openai==1.7.4",
  "langchain-anthropic==1.7.10",
  "pydantic-ai-slim[openai,anthropic]==2.68.0",
  "openai-agents==0.24.0",
  "twilio==9.13.0",
  "resend==2.52.0",
];
const limitMs = 600_000;
const root = resolve(import.meta.dirname, "../..");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

/** The Python of the environment, which is made when it is not there, and brought up to date when it has other versions. */
function installedPython(folder: string): string {
  const python = join(folder, "bin/python");
  const installed = join(folder, "installed");
  const list = `${versions.join("\n")}\n`;
  if (existsSync(installed) && readFileSync(installed, "utf8") === list) return python;
  console.log(`The clients are installed into ${folder}. This takes about two minutes, once.`);
  const run = (program: string, ...args: string[]) => {
    const { status } = spawnSync(program, args, { stdio: "inherit", timeout: limitMs });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}.`);
  };
  run("python3", "-m", "venv", folder);
  run(python, "-m", "pip", "install", "--quiet", ...versions);
  writeFileSync(installed, list);
  return python;
}

const keyOf = (pool: string) => `tlp_${pool.padEnd(32, "k")}`;
const keys = Object.fromEntries(formatNames.map((format) => [format, keyOf(format)]));
const apiKey = `tl_${"client".padEnd(32, "k")}`;
const gateways = ["sms", "whatsapp", "email"].map((channel) => ({
  identifier: channel,
  channel,
  kind: "sandbox",
  default: true,
}));
/** Has embeddings, and no member that another pool's calls could go to. */
const embeddings = {
  name: "embeddings",
  members: [{ name: "box", kind: "sandbox", models: ["echo"], embedding_models: ["embedder"] }],
  keys: [{ name: "client", key: keyOf("embeddings") }],
};

async function main(): Promise<number> {
  const python = installedPython(resolve(root, process.env.CLIENT_TOOLS ?? ".client-tools"));
  const folder = mkdtempSync(join(tmpdir(), "trunkline-clients-"));
  const members = await openMembers(nextStep);
  const pools = formatNames.map((format) => ({
    name: format,
    members: [poolMember({ name: format, format, model: "weather-model", url: members.url(format) })],
    keys: [{ name: "client", key: keys[format] }],
  }));
  const provision = join(folder, "provision.json");
  writeFileSync(
    provision,
    JSON.stringify({
      accounts: [{ name: "clients", api_key: apiKey, gateways, pools: [...pools, embeddings] }],
    }),
  );
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  const server = await startServer({
    port: await freePort(),
    logFile: join(folder, "server.log"),
    env: {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_PROVISION: provision,
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
    },
  });
  const play = async (script: string): Promise<number | null> => {
    const child = spawn(python, [join(import.meta.dirname, script)], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        BASE: server.base,
        KEYS: JSON.stringify(keys),
        EMBEDDINGS_KEY: keyOf("embeddings"),
        API_KEY: apiKey,
      },
      stdio: ["ignore", "inherit", "inherit"],
      timeout: limitMs,
    });
    return await new Promise((done, fail) => child.once("error", fail).once("close", done));
  };
  let code = 1;
  try {
    const messages = await play("messages.py");
    const emails = await play("emails.py");
    const completions = await play("clients.py");
    code = [messages, emails, completions].every((each) => each === 0) ? 0 : 1;
    for (const format of formatNames) {
      for (const { message } of members.log(format).refused) {
        console.log(`The member with ${format} refused a request: ${message}`);
      }
    }
  } finally {
    await server.kill();
    await members.close();
    if (code === 0) rmSync(folder, { recursive: true, force: true });
    else console.error(`What the server printed is in ${folder}.`);
  }
  return code;
}

process.exitCode = await main();
