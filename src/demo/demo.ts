// `trunkline demo`: an installation in a temporary folder, with a month of traffic behind it and more coming, for people who want to look
// around first. Its vendors are simulated, so nothing leaves the machine.

import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setUp } from "#identity/setup.ts";
import { systemClock } from "#runtime/clock.ts";
import { requestApi, textOf } from "#runtime/net/api-request.ts";
import { newSecret } from "#runtime/secret.ts";
import type { SystemSettings } from "#system.ts";
import { models, poolKeys, pools } from "./installation.ts";
import { type Stage, send } from "./month.ts";
import { apiKey, openDemo, playDemo, poolKey } from "./open-demo.ts";
import { between, pick } from "./words.ts";

interface DemoOptions {
  host: string;
  port: number;
  /** The settings of the demo's system, in this data folder. */
  settingsFor(folder: string): SystemSettings;
  print(text: string): void;
}

/** Runs the demo until a signal ends it, and then removes its folder. */
export async function runDemo({ host, port, settingsFor, print }: DemoOptions): Promise<void> {
  const folder = mkdtempSync(join(temporaryFolder(), "trunkline-demo-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));
  const path = join(folder, "trunkline.db");
  const settings = settingsFor(folder);
  print("A month of traffic is played, which takes up to half a minute.");
  const clock = systemClock();
  const played = await playDemo({ path, settings, now: clock.now() });
  await played.close();
  const stage = await openDemo(path, settings, clock);
  const url = await stage.system.app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE"
      ? new Error(`Port ${port} is in use. TRUNKLINE_PORT names another one.`)
      : error;
  });
  const password = await makeOperator(stage);
  print(`
  The demo of Trunkline runs at ${url}

    email address  ${operator.email}
    password        ${password}

  Its gateways and AI providers are simulated, so nothing that you send leaves this machine. Try it, with its key:

    curl ${url}/api/sms/send -H 'Api-key: ${apiKey}' -H 'Content-Type: application/json' \\
      -d '{"contact":[{"number":"+447700900123","message":"Hello from the demo"}]}'

  Ctrl+C ends it and removes everything. \`trunkline\` starts an installation that stays.
`);
  await goOn(stage, url);
}

const memoryFolder = "/dev/shm";
const neededBytes = 256 * 1024 * 1024;

/** In memory where Linux has room for it: twenty thousand transactions wait for no disk there. */
function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize > neededBytes ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
}

const operator = { name: "Robin Harper", email: "robin@harbour-coffee.example" } as const;

async function makeOperator({ system }: Stage): Promise<string> {
  const password = newSecret(system.core.random).slice(0, 16);
  const code = await system.createSetupCode();
  const result = await setUp(system.core, { ...operator, code, password, replaced: null });
  if (result.kind !== "set_up") throw new Error(`The demo's operator cannot be made: ${result.kind}.`);
  return password;
}

/** Goes on sending and asking, every few seconds. */
async function goOn(stage: Stage, url: string): Promise<never> {
  const { clock, draw } = stage;
  for (let turn = 0; ; turn++) {
    // The first calls show at once which members answer.
    if (turn < 4 || draw() < 0.5) await ask(url, pick(draw, poolKeys));
    else await send(stage, pick(draw, ["sms", "whatsapp", "email"]), between(draw, 1, 3));
    await clock.sleep(turn < 4 ? 0 : between(draw, 2_000, 9_000));
  }
}

async function ask(url: string, { name, pool }: (typeof poolKeys)[number]): Promise<void> {
  const isSearch = pool === pools.search;
  const body = isSearch
    ? { model: models.embedding, input: "single origin, light roast" }
    : { messages: [{ role: "user", content: "Where is my order?" }] };
  const answer = await requestApi(
    { url },
    {
      method: "POST",
      path: `/api/ai/v1/${isSearch ? "embeddings" : "chat/completions"}`,
      headers: { authorization: `Bearer ${poolKey}${name}` },
      body,
      silenceMs: null,
    },
  );
  await textOf(answer.body);
}
