// `npm run bench:ai`: the AI gateway against a bare proxy and against another TypeScript gateway, in interleaved rounds on one
// machine, keys, limits, health and usage on. Only ratios mean something: the machine drifts. Stops by itself.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/faults/server.ts";
import { memoryMib } from "../../test/process-memory.ts";
import { machineFacts } from "../stage.ts";
import { manyStreams, oneByOne, type Target, throughput } from "./client.ts";
import { children, end, folder, median, peer, ratio, startTrunkline } from "./stage.ts";

const rounds = 3;
const roundMs = 5_000;
const singles = 300;
const streams = 150;

/** Installed apart from the project, with the versions of its own lock: newer ones break its streams. */
async function portkey(upstream: string): Promise<Target | null> {
  const place = join(folder, "portkey");
  mkdirSync(place);
  const manifest = {
    private: true,
    dependencies: { "@portkey-ai/gateway": "1.15.2" },
    overrides: { hono: "4.9.7", "@hono/node-server": "1.13.5" },
  };
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
  const installed = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: place,
  });
  if (installed.status !== 0) return null;
  const port = await freePort();
  // It binds every interface; this keeps it on this machine.
  const loopback = join(place, "loopback.cjs");
  writeFileSync(
    loopback,
    `const net = require("node:net"); const listen = net.Server.prototype.listen;
     net.Server.prototype.listen = function (...args) {
       if (typeof args[0] === "number") return listen.call(this, { port: args[0], host: "127.0.0.1" }, ...args.slice(1).filter((one) => typeof one === "function"));
       if (args[0] && typeof args[0] === "object" && args[0].port !== undefined) args[0].host = "127.0.0.1";
       return listen.apply(this, args);
     };`,
  );
  const start = join(place, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const child = spawn(process.execPath, ["--require", loopback, start, `--port=${port}`, "--headless"], {
    cwd: place,
    stdio: "ignore",
  });
  children.push(child);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const headers = {
    authorization: "Bearer sk-bench",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${upstream}/v1`,
  };
  return { name: "portkey 1.15.2", port, path: "/v1/chat/completions", headers };
}

const mockPort = await peer("./mock.ts");
const upstream = `http://127.0.0.1:${mockPort}`;
const barePort = await peer("./bare.ts", upstream);
const member = {
  name: "mock",
  kind: "openai-compatible",
  models: ["bench"],
  settings: { base_url: `${upstream}/v1`, api_key: "sk-bench" },
};
const { server, logFile, target } = await startTrunkline([{ name: "default", members: [member] }]);
const trunkline = target("trunkline", "default", "/api/ai/v1/chat/completions");
const direct: Target = { name: "direct", port: mockPort, path: "/v1/chat/completions", headers: {} };
const bare: Target = { name: "bare proxy", port: barePort, path: "/v1/chat/completions", headers: {} };
const other = process.argv.includes("--without-portkey") ? null : await portkey(upstream);
const targets = [direct, bare, trunkline, ...(other ? [other] : [])];

console.log(`\`npm run bench:ai\`\n\n${machineFacts()}\n`);
for (const each of targets) await throughput(each, 16, 2_000);
const rates = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round++)
  for (const each of targets) rates.get(each.name)!.push(await throughput(each, 64, roundMs));
const rate = (one: Target | null) => (one ? median(rates.get(one.name)!) : 0);

async function latencies(stream: boolean, count: number): Promise<Map<string, number>> {
  const asking = targets.map((each) => ({
    name: each.name,
    one: oneByOne(each, stream),
    took: [] as number[],
  }));
  for (let i = 0; i < count; i++) for (const each of asking) each.took.push(await each.one.ask());
  for (const each of asking) each.one.close();
  return new Map(asking.map(({ name, took }) => [name, median(took.slice(count / 10))]));
}
const whole = await latencies(false, singles);
const first = await latencies(true, streams);

console.log(
  "| | requests/s, 64 connections | of the bare proxy | one at a time, p50 | first byte of a stream, p50 |\n|---|---|---|---|---|",
);
for (const { name } of targets) {
  const one = targets.find((each) => each.name === name)!;
  console.log(
    `| ${name} | ${Math.round(rate(one)).toLocaleString("en-US")} | ${ratio(rate(one), rate(bare))} | ${whole.get(name)!.toFixed(2)} ms | ${first.get(name)!.toFixed(2)} ms |`,
  );
}
const added = (map: Map<string, number>) => (map.get("trunkline")! - map.get("direct")!).toFixed(2);
console.log("\n| what | measured | goal |\n|---|---|---|");
console.log(`| throughput, of the bare proxy | ${ratio(rate(trunkline), rate(bare))} | ≥ 0.60 |`);
if (other) console.log(`| throughput, times portkey | ${ratio(rate(trunkline), rate(other))} | ≥ 8 |`);
console.log(`| added to a call, p50 | ${added(whole)} ms | ≤ 0.5 ms |`);
console.log(`| added to the first byte of a stream, p50 | ${added(first)} ms | ≤ 1 ms |`);
const many = await manyStreams(trunkline, 1_000, 300);
console.log(
  `| 1,000 streams at once, 30 tokens/s for 10 s: frames | ${many.frames} of ${many.expected}, ${many.whole} whole | none lost |`,
);
// The same again and again: what streams and calls have once needed is there, and nothing may come on top.
const afterMib: number[] = [];
for (let round = 0; round < rounds; round++) {
  if (round > 0) await manyStreams(trunkline, 1_000, 300);
  await throughput(trunkline, 64, roundMs);
  afterMib.push(memoryMib(server.pid, "VmRSS") ?? 0);
}
console.log(
  `| memory after 1,000 streams and ${roundMs / 1000} s of calls, and after each time more | ${afterMib.map((mib) => mib.toFixed(0)).join(", ")} MiB | flat |`,
);
const log = readFileSync(logFile, "utf8");
if (/"level":"(warn|error)"/.test(log))
  console.error(
    log
      .split("\n")
      .filter((line) => /warn|error/.test(line))
      .slice(0, 5)
      .join("\n"),
  );
await server.kill();
end(0);
