// `npm run test:agents`: whether Codex and Claude Code, as npm has them, do a task of four model calls through the
// gateway, over members of their own format, of another vendor's and of chat completions alone, over two equal
// members with sealed reasoning, and while a member dies between two calls. Everything is on loopback, no account is
// used. Options: --only PART-OF-A-NAME.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Members, openMembers } from "../ai-peers/peers.ts";
import { poolMember } from "../ai-peers/pool-member.ts";
import { freePort, type Server, startServer } from "../faults/server.ts";
import { type AgentRun, startAgent, workFolder } from "./agents.ts";
import { memberNames, type Scenario, scenarios } from "./scenarios.ts";
import { callsOfTask, fileName, fileText, lastWords, nextStep, prompt } from "./script.ts";
import { installedTools } from "./tools.ts";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const root = resolve(import.meta.dirname, "../..");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

const keyOf = (scenario: Scenario) => `tlp_${scenarios.indexOf(scenario).toString().padStart(32, "k")}`;

/** One pool for each scenario, with members of its own. */
const provisioning = (members: Members) => ({
  accounts: [
    {
      name: "agents",
      pools: scenarios.map((scenario, at) => ({
        name: `pool-${at}`,
        members: scenario.members.map(({ format, priority = 1 }, index) => {
          const name = memberNames(scenario)[index]!;
          return poolMember({ name, format, priority, model: scenario.model, url: members.url(name) });
        }),
        keys: [{ name: "agent", key: keyOf(scenario) }],
      })),
    },
  ],
});

/** What is wrong with how it went; empty: nothing. */
function faultsOf(scenario: Scenario, members: Members, run: AgentRun, folder: string): string[] {
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string) => void (holds || faults.push(fault));
  expect(run.code === 0, `The agent ended with ${run.code}.`);
  let text = "";
  try {
    text = readFileSync(join(workFolder(folder), fileName), "utf8");
  } catch {}
  expect(text === `${fileText}\n`, `The file holds ${JSON.stringify(text)}.`);
  const printed = JSON.stringify(lastWords(fileText)).slice(1, -1);
  expect(run.out.includes(printed), "The agent did not print the last words.");
  const logs = memberNames(scenario).map((name) => ({ name, ...members.log(name) }));
  for (const { name, refused } of logs) {
    const parameters = refused.flatMap(({ param }) => param ?? []);
    for (const { message, param } of refused) {
      if (param === null) faults.push(`${name} refused a request: ${message}`);
    }
    // The gateway repeats such a request without the parameter, and does not send it to this member again.
    expect(new Set(parameters).size === parameters.length, `${name} refused one of ${parameters} twice.`);
  }
  const calls = logs.map(({ answered }) => answered);
  expect(
    calls.reduce((sum, count) => sum + count, 0) === callsOfTask,
    `The members answered ${calls.join(" + ")} calls of ${callsOfTask}.`,
  );
  const used = logs.filter(({ answered }) => answered > 0).length;
  const isFailover = scenario.members.some(({ failAfter }) => failAfter !== undefined);
  expect(used === (isFailover ? 2 : 1), `${used} members answered.`);
  return faults;
}

async function main(): Promise<void> {
  const tools = installedTools(resolve(root, process.env.AGENT_TOOLS ?? ".agent-tools"));
  const folder = mkdtempSync(join(tmpdir(), "trunkline-agents-"));
  const members = await openMembers(nextStep);
  const provision = join(folder, "provision.json");
  writeFileSync(provision, JSON.stringify(provisioning(members)));
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  const server: Server = await startServer({
    port: await freePort(),
    logFile: join(folder, "server.log"),
    env: {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_PROVISION: provision,
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
    },
  });
  let failed = 0;
  try {
    for (const scenario of scenarios.filter(({ name }) => name.includes(values.only))) {
      const own = join(folder, String(scenarios.indexOf(scenario)));
      mkdirSync(own);
      for (const [at, { failAfter }] of scenario.members.entries()) {
        if (failAfter !== undefined) members.failAfter(memberNames(scenario)[at]!, failAfter);
      }
      const task = {
        tools,
        base: server.base,
        key: keyOf(scenario),
        model: scenario.model,
        prompt,
        folder: own,
      };
      const run = await startAgent[scenario.agent](task);
      const faults = faultsOf(scenario, members, run, own);
      console.log(`${faults.length === 0 ? "✔" : "✖"} ${scenario.name}`);
      for (const fault of faults) console.log(`    ${fault}`);
      if (faults.length === 0) continue;
      failed += 1;
      writeFileSync(join(own, "out.log"), `${run.out}\n${run.err}`);
    }
  } finally {
    await server.kill();
    await members.close();
    if (failed === 0) rmSync(folder, { recursive: true, force: true });
  }
  if (failed === 0) return;
  console.error(`${failed} failed. What the agents and the server printed is in ${folder}.`);
  process.exitCode = 1;
}

await main();
