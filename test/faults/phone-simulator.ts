// The provider as an Android phone that runs the app: it lists what it should send, sends it over the air, and reports. What goes
// over the air is in the journal before the service hears of it.

import type { Harness } from "../harness.ts";
import type { Injected, InjectOptions } from "../inject.ts";
import { SimulatedPhone, type Transmission } from "../phones/simulated-phone.ts";
import { markerIn, pause } from "./marker.ts";
import { type SimulatorSettings, type SimulatorStats, phone as simulated } from "./simulator.ts";

const cycleMs = 100;
const requestMs = 5000;

interface Provider {
  settings(): SimulatorSettings;
  stats: SimulatorStats;
  random(): number;
  journal(line: { at: number; marker: string; id: string; gateway: string; answer: string }): Promise<void>;
}

/** Links the phone as soon as the settings have a code that the service knows, and works from then on. */
export async function runPhone(provider: Provider): Promise<void> {
  const { stats } = provider;
  const air: Transmission[] = [];
  const app = new SimulatedPhone(simulated.gateway, () => service, air, overHttp(provider));
  // A network that now and then loses a request, or its answer.
  app.network = () => {
    if (!stats.isPhoneLinked) return "through";
    const roll = provider.random();
    return roll < 0.02 ? "refused" : roll < 0.04 ? "lost" : "through";
  };
  let refused: string | null = null;
  let isReporting = false;
  for (;;) {
    await pause(cycleMs);
    const { phone } = provider.settings();
    if (phone === null) continue;
    try {
      if (!stats.isPhoneLinked) {
        if (phone.code === refused) continue;
        stats.isPhoneLinked = (await app.registerByCode(phone.code)) === 201;
        // The service may have died with the answer; guesses would lock the link.
        if (!stats.isPhoneLinked) refused = phone.code;
        continue;
      }
      await app.pull();
      app.transmit();
    } catch {
      // The service is down, or the network lost it.
    }
    for (const { id, text } of air.splice(0)) {
      const marker = markerIn(text);
      if (marker !== null)
        await provider.journal({ at: Date.now(), marker, id, gateway: simulated.gateway, answer: "ok" });
    }
    await app.report();
    if (isReporting !== app.reports.length > 0) {
      isReporting = !isReporting;
      stats.reporting += isReporting ? 1 : -1;
    }
  }
}

/** What the phone reads of the service. */
const service = { clock: { now: () => Date.now() } } as unknown as Harness;

/** Sends a request of the phone over HTTP to one of the running services. */
const overHttp = (provider: Provider) => async (request: InjectOptions) => {
  const bases = provider.settings().phone?.bases ?? [];
  const base = bases[Math.floor(provider.random() * bases.length)];
  const { method = "GET", url, payload, headers } = request;
  const answer = await fetch(`${base}${String(url)}`, {
    method,
    headers: headers as Record<string, string>,
    signal: AbortSignal.timeout(requestMs),
    ...(payload === undefined ? {} : { body: String(payload) }),
  });
  const text = await answer.text();
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    json: () => JSON.parse(text),
  } as Injected;
};
