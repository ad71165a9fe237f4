// `npm run bench:ai:apis`: what a call costs at each API, as shares of a bare proxy that is asked in the same API, in interleaved rounds on
// one machine. Only ratios mean something: the machine drifts. Stops by itself.

import { machineFacts } from "../stage.ts";
import { atOnce, type Target, throughput } from "./client.ts";
import { children, cpuUs, end, median, peer, ratio, startTrunkline } from "./stage.ts";

const rounds = 5;
const roundMs = 3_000;
const mockPort = await peer("./mock.ts");
const upstream = `http://127.0.0.1:${mockPort}`;
const barePort = await peer("./bare.ts", upstream);
const barePid = children.at(-1)?.pid ?? 0;
const member = (name: string, kind: string, settings: object) => ({
  name,
  kind,
  models: ["bench"],
  settings: { api_key: "sk-bench", ...settings },
});
const openai = member("openai", "openai-compatible", { base_url: `${upstream}/v1`, responses: true });
const anthropic = member("anthropic", "anthropic", { base_url: upstream });
const gemini = member("gemini", "gemini", { base_url: upstream });
const { server, target } = await startTrunkline([
  { name: "openai", members: [openai] },
  { name: "anthropic", members: [anthropic] },
  { name: "gemini", members: [gemini] },
  { name: "cached", members: [openai], cache: { ttl_s: 3_600 } },
]);

const question = "Tell me something about foxes, dogs and laziness.";
const system = "You are a helpful assistant that answers shortly.";
const messages = [{ role: "user", content: question }];
const bodies = {
  chat: { model: "bench", messages: [{ role: "system", content: system }, ...messages], temperature: 0.5 },
  messages: { model: "bench", system, messages, max_tokens: 60, temperature: 0.5 },
  responses: { model: "bench", instructions: system, input: question, temperature: 0.5, store: false },
  gemini: {
    systemInstruction: { parts: [{ text: system }] },
    contents: [{ role: "user", parts: [{ text: question }] }],
    generationConfig: { temperature: 0.5 },
  },
};
const streamed = { stream: true, max_tokens: 60 };
const ai = "/api/ai/v1";
const own = (name: string, pool: string, path: string, body: object): Target => ({
  ...target(name, pool, path),
  body,
});
const bare = (path: string, body: object): Target => ({
  name: `bare proxy, ${path}`,
  port: barePort,
  path,
  headers: {},
  body,
});

interface Measure {
  what: string;
  goal: string;
  own: Target;
  bare: Target;
}
const whole: Measure[] = [
  {
    what: "chat completions",
    goal: "",
    own: own("chat", "openai", `${ai}/chat/completions`, bodies.chat),
    bare: bare("/v1/chat/completions", bodies.chat),
  },
  {
    what: "messages, forwarded",
    goal: "≥ that of chat completions",
    own: own("messages", "anthropic", `${ai}/messages`, bodies.messages),
    bare: bare("/v1/messages", bodies.messages),
  },
  {
    what: "responses, forwarded",
    goal: "≥ that of chat completions",
    own: own("responses", "openai", `${ai}/responses`, bodies.responses),
    bare: bare("/v1/responses", bodies.responses),
  },
  {
    what: "Gemini's API over a Gemini member (translated)",
    goal: "",
    own: own("gemini", "gemini", "/api/ai/v1beta/models/bench:generateContent", bodies.gemini),
    bare: bare("/v1beta/models/bench:generateContent", bodies.gemini),
  },
  {
    what: "a chat completion from the cache",
    goal: "≥ 0.80",
    own: own("cached", "cached", `${ai}/chat/completions`, bodies.chat),
    bare: bare("/v1/chat/completions", bodies.chat),
  },
];
const chatStream = { ...bodies.chat, ...streamed };
const messagesStream = { ...bodies.messages, ...streamed };
const streams: Measure[] = [
  {
    what: "a stream of 60 words at chat completions, passed on",
    goal: "",
    own: own("chat stream", "openai", `${ai}/chat/completions`, chatStream),
    bare: bare("/v1/chat/completions", chatStream),
  },
  {
    what: "the same, translated from a member of Anthropic's format",
    goal: "≥ 0.50",
    own: own("chat stream, translated", "anthropic", `${ai}/chat/completions`, chatStream),
    bare: bare("/v1/chat/completions", chatStream),
  },
  {
    what: "at messages, translated from a member of OpenAI's format",
    goal: "≥ 0.50",
    own: own("messages stream, translated", "openai", `${ai}/messages`, messagesStream),
    bare: bare("/v1/messages", messagesStream),
  },
];
const counts: [string, Target][] = [
  ["asked of the member", own("count", "anthropic", `${ai}/messages/count_tokens`, bodies.messages)],
  ["estimated", own("count", "openai", `${ai}/messages/count_tokens`, bodies.messages)],
];

console.log(`\`npm run bench:ai:apis\`\n\n${machineFacts()}\n`);
const measures = [...whole, ...streams];
for (const { own, bare } of measures) for (const each of [own, bare]) await throughput(each, 16, 1_500);
interface Taken {
  rates: number[];
  cpu: number[];
}
const taken = new Map<Target, Taken>(
  measures.flatMap(({ own, bare }) => [own, bare]).map((one) => [one, { rates: [], cpu: [] }]),
);
async function take(one: Target, pid: number): Promise<void> {
  const { rates, cpu } = taken.get(one)!;
  const before = cpuUs(pid);
  const rate = await throughput(one, 64, roundMs);
  rates.push(rate);
  cpu.push((cpuUs(pid) - before) / ((rate * roundMs) / 1_000));
}
for (let round = 0; round < rounds; round++)
  for (const { own, bare } of measures) {
    await take(own, server.pid);
    await take(bare, barePid);
  }
console.log(
  "| what | answers/s, 64 connections | of the bare proxy in the same API | goal | CPU of the server each | of the bare proxy |\n|---|---|---|---|---|---|",
);
for (const { what, goal, own, bare } of measures) {
  const [mine, theirs] = [taken.get(own)!, taken.get(bare)!];
  const rate = Math.round(median(mine.rates)).toLocaleString("en-US");
  const share = ratio(median(mine.rates), median(theirs.rates));
  const cpu = [mine, theirs].map((each) => `${median(each.cpu).toFixed(0)} µs`).join(" | ");
  console.log(`| ${what} | ${rate} | ${share} | ${goal} | ${cpu} |`);
}
for (const [how, one] of counts) {
  const took: number[] = [];
  for (let i = 0; i < 20; i++) took.push(await atOnce(one, 25));
  console.log(
    `| 25 requests at count_tokens at once, ${how}: until the last | ${median(took).toFixed(0)} ms | | < 100 ms | | |`,
  );
}
await server.kill();
end(0);
