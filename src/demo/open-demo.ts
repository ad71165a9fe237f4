// The demo's system over its database, with simulated vendors: on a clock that is moved by hand while its month is played, and on the
// machine's own afterwards.

import { channels } from "#contract/messages/channel.ts";
import type { SessionReport } from "#gateways/session.ts";
import { storeReport } from "#messaging/feedback/store-report.ts";
import { createLog } from "#runtime/log/log.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { systemRandom } from "#runtime/random.ts";
import type { Clock, Random } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { openSystem, type System, type SystemSettings } from "#system.ts";
import { demoProvision, poolKeys } from "./installation.ts";
import { campaign, type PlayedStage, playUntil, type Stage, send } from "./month.ts";
import { createVendors, type Vendors } from "./vendors.ts";
import { seeded } from "./words.ts";

export const apiKey = "tl_demo_harbour_coffee_4b1f9c70d2e8";
/** With the name of a key behind it. */
export const poolKey = "tlp_demo_5d27c1a94e_";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

interface Opened {
  system: System;
  vendors: Vendors;
}

async function open(
  path: string,
  settings: SystemSettings,
  { clock, random }: { clock: Clock; random: Random },
  watch: (database: Database) => Database,
): Promise<Opened> {
  const log = createLog({ level: "error", text: true });
  const database = watch(await openSqlite({ path }));
  const report = async (identifier: string, what: SessionReport): Promise<void> => {
    const gateway = await database.run(findGatewayByIdentifier, identifier);
    if (gateway !== null) await storeReport({ ...system.core, publicUrl: null }, gateway, what);
  };
  const vendors = createVendors({ clock, report });
  const { outbound, upstreams, dns } = vendors;
  const runtime = { clock, random, outbound, upstreams, dns, log, crashPoint: () => {} };
  // Where a real installation gets its vendors' reports.
  const publicUrl = "https://trunkline.harbour-coffee.example";
  const system = await openSystem(runtime, { ...settings, publicUrl }, database);
  return { system, vendors };
}

interface PlayedDemo extends PlayedStage, Opened {
  /** Stops the system and closes its database. */
  close(): Promise<void>;
}

/** The account and the pools' keys of the installation. */
async function actors({ core }: System): Promise<Pick<Stage, "account" | "keys">> {
  const account = await core.authenticator.authenticate(apiKey);
  const keys = await Promise.all(poolKeys.map(({ name }) => core.ai.authenticate(`${poolKey}${name}`)));
  if (account === null || keys.includes(null)) throw new Error("The demo's keys open nothing.");
  return { account, keys: keys.flatMap((key) => key ?? []) };
}

/**
 * Makes the installation in a new file and plays its traffic of `days` until `now` (epoch ms), where the clock stays. The same seed makes
 * the same traffic.
 */
export async function playDemo(options: {
  path: string;
  settings: SystemSettings;
  now: number;
  days?: number;
  seed?: number;
  random?: Random;
}): Promise<PlayedDemo> {
  const { path, now, days = 30, seed = 7, random = systemRandom() } = options;
  const start = Math.floor(now / hourMs) * hourMs - days * dayMs;
  const clock = movableClock(start);
  const draw = seeded(seed);
  const running = new Set<Promise<unknown>>();
  // Rare, since a month of the clock is played in seconds.
  const settings = { ...options.settings, heartbeatMs: dayMs, pollMs: dayMs, maintenanceMs: dayMs };
  const opened = await open(path, settings, { clock, random }, (database) => watched(database, running));
  const { system, vendors } = opened;
  clock.settleWith(() => idle(running));
  await system.start();
  const { errors } = await system.provision(demoProvision({ apiKey, poolKey }));
  if (errors.length > 0) throw new Error(`The demo cannot be set up: ${errors.join(" ")}`);
  const stage: PlayedStage = { system, clock, draw, ...(await actors(system)) };
  await playUntil(stage, now - 3 * hourMs);
  // What a bad morning looks like: a refused key, an endpoint and an AI vendor that fail.
  vendors.fail();
  await playUntil(stage, now - 2 * hourMs);
  await campaign(stage, 24);
  for (const ago of [40, 11, 2]) {
    await playUntil(stage, now - ago * minuteMs);
    for (const channel of channels) await send(stage, channel, 2);
  }
  await playUntil(stage, now);
  return {
    ...opened,
    ...stage,
    close: async () => {
      const stopping = system.stop();
      await Promise.race([stopping, clock.advance(60_000)]);
      await stopping;
    },
  };
}

/** Knows which calls are running, so that the clock can wait for them. */
function watched(database: Database, running: Set<Promise<unknown>>): Database {
  return {
    ...database,
    run: (operation, input) => {
      const call = database.run(operation, input);
      running.add(call);
      const done = () => running.delete(call);
      call.then(done, done);
      return call;
    },
  };
}

async function idle(running: ReadonlySet<Promise<unknown>>): Promise<void> {
  for (let quiet = 0; quiet < 2; quiet++) {
    while (running.size > 0) {
      quiet = 0;
      await Promise.allSettled(running);
    }
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The same installation on the machine's clock, started. Its vendors are in the trouble that the month ended with. */
export async function openDemo(path: string, settings: SystemSettings, clock: Clock): Promise<Stage> {
  const random = systemRandom();
  const draw = random.random;
  const { system, vendors } = await open(path, settings, { clock, random }, (database) => database);
  vendors.fail();
  await system.start();
  return { system, clock, draw, ...(await actors(system)) };
}
