// `npm run bench:ai`: the AI gateway beside a bare proxy, in turns on one machine, keys, limits, health and usage on. Only ratios mean
// something: machines differ, and drift. `-- --short` tries it out. `-- --peer NAME=URL` adds another gateway that is running already,
// with the path of its chat completions. Stops by itself.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { memoryMib } from "../../test/process-memory.ts";
import { machineFacts } from "../stage.ts";
import { manyStreams, oneByOne, type Target, throughput } from "./client.ts";
import { cpuUs, end, install, median, peer, ratio } from "./stage.ts";

const short = process.argv.includes("--short");
const rounds = short ? 1 : 5;
const roundMs = short ? 1_000 : 3_000;
const singles = short ? 200 : 2_000;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const mock = await peer("./mock.ts", "1");
const upstream = `http://127.0.0.1:${mock.port}`;
const bareProxy = await peer("./bare.ts", "0", upstream);
const member = (name: string, kind: string, settings: object) => ({
  name,
  kind,
  models: ["bench"],
  settings: { api_key: "sk-bench", ...settings },
});
const openai = member("openai", "openai-compatible", { base_url: `${upstream}/v1`, responses: true });
const anthropic = member("anthropic", "anthropic", { base_url: upstream });
const gemini = member("gemini", "gemini", { base_url: upstream });
const { data, start, logFile, target } = await install([
  { name: "openai", members: [openai] },
  { name: "anthropic", members: [anthropic] },
  { name: "gemini", members: [gemini] },
  { name: "cached", members: [openai], cache: { ttl_s: 3_600 } },
]);

const question = "Tell me something about foxes, dogs and laziness.";
const system = "You are a helpful assistant that answers shortly.";
const messages = [{ role: "user", content: question }];
const chat = {
  model: "bench",
  messages: [{ role: "system", content: system }, ...messages],
  temperature: 0.5,
};
const anthropicBody = { model: "bench", system, messages, max_tokens: 60, temperature: 0.5 };
const responses = { model: "bench", instructions: system, input: question, temperature: 0.5, store: false };
const geminiBody = {
  systemInstruction: { parts: [{ text: system }] },
  contents: [{ role: "user", parts: [{ text: question }] }],
  generationConfig: { temperature: 0.5 },
};
const streamed = { stream: true, max_tokens: 60 };

interface Measure {
  what: string;
  goal: string;
  own: Target;
  bare: Target;
  others: readonly Target[];
}
const peers = process.argv.flatMap((word, at) => (process.argv[at - 1] === "--peer" ? [word] : []));
const others = (body: object): Target[] =>
  peers.map((peer) => {
    const [name = "", url = ""] = peer.split(/=(.*)/s);
    const { port, pathname } = new URL(url);
    return { name, port: Number(port), path: pathname, headers: { authorization: "Bearer sk-bench" }, body };
  });
function measure(what: string, goal: string, pool: string, path: string, body: object): Measure {
  const api = path.startsWith("/v1") ? `/api/ai${path}` : path;
  return {
    what,
    goal,
    own: { ...target("trunkline", pool, api), body },
    bare: { name: "bare", port: bareProxy.port, path, headers: {}, body },
    others: path.endsWith("/chat/completions") && pool === "openai" ? others(body) : [],
  };
}
const chatPath = "/v1/chat/completions";
const calls = measure("chat completions", "≥ 0.80", "openai", chatPath, chat);
const onePiece = measure("a stream of 60 words in one piece", "≥ 0.70", "openai", chatPath, {
  ...chat,
  ...streamed,
});
const measures = [
  calls,
  onePiece,
  measure("a stream of 60 words, word by word", "≥ 0.80", "openai", chatPath, {
    ...chat,
    ...streamed,
    user: "words",
  }),
  measure("a chat stream from a member of Anthropic's format, translated", "≥ 0.50", "anthropic", chatPath, {
    ...chat,
    ...streamed,
  }),
  measure(
    "a Messages stream from a member of OpenAI's format, translated",
    "≥ 0.50",
    "openai",
    "/v1/messages",
    {
      ...anthropicBody,
      ...streamed,
    },
  ),
  measure("a chat completion from the cache", "≥ 0.80", "cached", chatPath, chat),
  measure("messages, forwarded", "≥ chat completions", "anthropic", "/v1/messages", anthropicBody),
  measure("responses, forwarded", "≥ chat completions", "openai", "/v1/responses", responses),
  measure(
    "Gemini's API over a Gemini member",
    "",
    "gemini",
    "/v1beta/models/bench:generateContent",
    geminiBody,
  ),
];

// A first start compiles and creates; what a user has every day is a later one.
await (await start()).kill();
const server = await start();
const readyMs = cpuUs(server.pid) / 1_000;
await sleep(short ? 1_000 : 5_000);
const idleMib = memoryMib(server.pid, "VmRSS") ?? 0;

console.log(`\`npm run bench:ai\`\n\n${machineFacts()}\n`);
const inTurn = measures.flatMap(({ own, bare, others }) => [own, bare, ...others]);
for (const each of inTurn) await throughput(each, 16, roundMs / 2);
const taken = new Map(inTurn.map((each) => [each, { rates: [] as number[], cpu: [] as number[] }]));
for (let round = 0; round < rounds; round++)
  for (const each of inTurn) {
    const { rates, cpu } = taken.get(each)!;
    const pid = each.name === "trunkline" ? server.pid : each.name === "bare" ? bareProxy.pid : 0;
    const before = cpuUs(pid);
    const rate = await throughput(each, 64, roundMs);
    rates.push(rate);
    cpu.push((cpuUs(pid) - before) / ((rate * roundMs) / 1_000));
  }
console.log(
  "| what | of the bare proxy | goal | answers/s | CPU each, and the bare proxy's |\n|---|---|---|---|---|",
);
const shown = (rate: number) => Math.round(rate).toLocaleString("en-US");
for (const { what, goal, own, bare, others } of measures) {
  const [mine, theirs] = [taken.get(own)!, taken.get(bare)!];
  const cpu = [mine, theirs].map((each) => `${median(each.cpu).toFixed(0)} µs`).join(", ");
  const share = ratio(median(mine.rates), median(theirs.rates));
  console.log(`| ${what} | ${share} | ${goal} | ${shown(median(mine.rates))} | ${cpu} |`);
  for (const other of others) {
    const rate = median(taken.get(other)!.rates);
    console.log(`| the same by ${other.name} | ${ratio(rate, median(theirs.rates))} | | ${shown(rate)} | |`);
  }
}

/** Sorted ms of one call after the other, the ways taking turns. */
async function latencies(ways: readonly Target[]): Promise<number[][]> {
  const asking = ways.map((each) => ({ one: oneByOne(each, false), took: [] as number[] }));
  for (let i = 0; i < singles; i++) for (const each of asking) each.took.push(await each.one.ask());
  for (const { one } of asking) one.close();
  return asking.map(({ took }) => took.slice(singles / 10).sort((a, b) => a - b));
}
const [mine = [], theirs = []] = await latencies([calls.own, calls.bare]);
const at = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
const afterMib: number[] = [];
for (let round = 0; round < (short ? 2 : 6); round++) {
  await throughput(calls.own, 64, roundMs);
  await throughput(onePiece.own, 64, roundMs);
  afterMib.push(memoryMib(server.pid, "VmRSS") ?? 0);
}
const many = await manyStreams(
  target("trunkline", "openai", "/api/ai/v1/chat/completions"),
  short ? 50 : 1_000,
  300,
);
const command = fileURLToPath(new URL("../../bin/trunkline.mjs", import.meta.url));
const commandMs = Array.from({ length: 5 }, () => {
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [command, "gateways"], {
    env: { PATH: process.env.PATH ?? "", TRUNKLINE_DATA_DIR: data },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - from;
});
console.log(`
| what | measured | goal |
|---|---|---|
| one call at a time, p50 above the bare proxy's ${at(theirs, 0.5).toFixed(2)} ms | +${(at(mine, 0.5) - at(theirs, 0.5)).toFixed(2)} ms | ≤ 0.1 ms |
| the same, p99 to the bare proxy's ${at(theirs, 0.99).toFixed(2)} ms | ${ratio(at(mine, 0.99), at(theirs, 0.99))} | ≤ 1.3 |
| CPU until it listens, second start | ${readyMs.toFixed(0)} ms | ≤ 700 ms |
| memory idle, second start | ${idleMib.toFixed(0)} MiB | ≤ 125 MiB |
| memory after calls and streams, and after each time more | ${afterMib.map((mib) => mib.toFixed(0)).join(", ")} MiB | ≤ 160 MiB, flat |
| frames of ${short ? 50 : "1,000"} streams at once, 30 words/s for 10 s | ${many.frames} of ${many.expected}, ${many.whole} whole | none lost |
| \`trunkline gateways\` beside the service | ${median(commandMs).toFixed(0)} ms | ≤ 250 ms |`);
const faults = readFileSync(logFile, "utf8")
  .split("\n")
  .filter((line) => /"level":"(warn|error)"/.test(line));
if (faults.length > 0) console.error(faults.slice(0, 5).join("\n"));
await server.kill();
end(0);
