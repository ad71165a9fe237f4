// Runs the sixteen scenarios against one installation, all at once: each has a pool and a provider's path of its own.

import { caller } from "./caller.ts";
import { type Installation, install, type StreamMode } from "./installation.ts";
import { ride, scoreOutage } from "./outage.ts";
import type { Profile } from "./profile.ts";
import { type Checks, openProvider, type Provider } from "./provider.ts";
import { type Scenario, type Scored, scenarios, score } from "./scenarios.ts";

export interface Card {
  mode: StreamMode;
  rows: Scored[];
}

interface Ground {
  installation: Installation;
  provider: Provider;
  profile: Profile;
}

/** Opens a provider and an installation for as long as `work` takes. */
export async function onGround<T>(profile: Profile, work: (ground: Ground) => Promise<T>): Promise<T> {
  const provider = await openProvider(profile);
  const installation = await install(profile);
  try {
    return await work({ installation, provider, profile });
  } finally {
    await installation.close();
    await provider.close();
  }
}

/** All sixteen, in one mode. */
export async function bench(ground: Ground, mode: StreamMode): Promise<Card> {
  const rows = await Promise.all([
    ...scenarios.map((scenario) => runScenario(ground, scenario, mode)),
    runOutage(ground, mode, "truthful"),
  ]);
  return { mode, rows: rows.sort((a, b) => a.id.localeCompare(b.id)) };
}

async function runScenario(ground: Ground, scenario: Scenario, mode: StreamMode): Promise<Scored> {
  const { installation, provider, profile } = ground;
  const { id, primary, fallback } = scenario;
  const name = `${mode}-${id}`;
  const key = await installation.pool({ name, mode, url: provider.url(name), primary, fallback });
  const ask = caller(installation.baseUrl, key, profile.maxMs);
  const seen = await ask(scenario.alone ? primary : name);
  const observed = {
    seen,
    primary: provider.hits(name, primary),
    fallback: provider.hits(name, fallback),
    profile,
  };
  const again = await ask(fallback);
  return score(scenario, { ...observed, alive: again.kind === "answer" });
}

/** S15, with checks of the primary that tell the truth or do not. */
export async function runOutage(ground: Ground, mode: StreamMode, checks: Checks): Promise<Scored> {
  const { installation, provider, profile } = ground;
  const name = `${mode}-S15-${checks}`;
  const primary = "fb-s15-flap";
  const key = await installation.pool({ name, mode, url: provider.url(name), primary, fallback: "fb-ok" });
  const ask = caller(installation.baseUrl, key, profile.maxMs);
  const outage = await ride(ask, name, () => provider.hits(name, primary), profile, checks);
  return scoreOutage(outage, checks);
}

/** The card as text. */
export function printed({ mode, rows }: Card): string {
  const count = (verdict: Scored["verdict"]) => rows.filter((row) => row.verdict === verdict).length;
  const lines = rows.map(
    ({ id, title, verdict, note, ms }) =>
      `  ${id}  ${verdict.padEnd(8)}${String(ms).padStart(7)} ms  ${title}: ${note}`,
  );
  const verdicts = (["pass", "partial", "safe", "fail"] as const).map((one) => `${count(one)} ${one}`);
  return [`stream_mode ${mode}: ${verdicts.join(", ")}`, ...lines].join("\n");
}
