// Which agent does its task over which members.

import type { FormatName } from "../ai-peers/pool-member.ts";
import type { AgentName } from "./agents.ts";

export interface ScriptedMember {
  format: FormatName;
  /** Members of a greater number are asked when those of a smaller one are down. Default 1. */
  priority?: number;
  /** The member answers so many calls, and 503 from then on. */
  failAfter?: number;
}

export interface Scenario {
  name: string;
  agent: AgentName;
  /** Codex chooses its kinds of tools by the model's name: functions, or a script that calls them. */
  model: string;
  members: readonly ScriptedMember[];
}

/** Unique among all scenarios. */
export const memberNames = (scenario: Scenario): string[] =>
  scenario.members.map(({ format }, at) => `m${scenarios.indexOf(scenario)}-${at + 1}-${format}`);

const codexModels = { functions: "prod-mini", scripts: "gpt-6.1-sol" };

const codex = Object.entries(codexModels).flatMap(([tools, model]): Scenario[] => {
  const of = (name: string, ...members: ScriptedMember[]) => ({
    name: `codex, ${tools}: ${name}`,
    agent: "codex" as const,
    model,
    members,
  });
  return [
    of("own format", { format: "responses" }),
    of("another vendor", { format: "messages" }),
    of("chat alone", { format: "chat" }),
    of("two equal members", { format: "responses" }, { format: "responses" }),
    of("failover", { format: "responses", failAfter: 2 }, { format: "responses", priority: 2 }),
    of("failover to a vendor", { format: "responses", failAfter: 2 }, { format: "messages", priority: 2 }),
    of("failover to chat alone", { format: "responses", failAfter: 2 }, { format: "chat", priority: 2 }),
    of("failover back", { format: "messages", failAfter: 2 }, { format: "responses", priority: 2 }),
  ];
});

const claudeOf = (name: string, ...members: ScriptedMember[]): Scenario => ({
  name: `claude: ${name}`,
  agent: "claude",
  model: "claude-opus-5-5",
  members,
});
const claude: Scenario[] = [
  claudeOf("own format", { format: "messages" }),
  claudeOf("another vendor", { format: "responses" }),
  claudeOf("chat alone", { format: "chat" }),
  claudeOf("two equal members", { format: "messages" }, { format: "messages" }),
  claudeOf("failover", { format: "messages", failAfter: 2 }, { format: "messages", priority: 2 }),
  claudeOf(
    "failover to a vendor",
    { format: "messages", failAfter: 2 },
    { format: "responses", priority: 2 },
  ),
  claudeOf("failover to chat alone", { format: "messages", failAfter: 2 }, { format: "chat", priority: 2 }),
];

export const scenarios: readonly Scenario[] = [...codex, ...claude];
