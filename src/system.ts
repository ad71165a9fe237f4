// Assembles the components of one process. Tests do the same with their own runtime.

import { createAuthenticator } from "#accounts/authenticate.ts";
import { AiGateway } from "#ai/ai.ts";
import { placeOf } from "#ai/limits/share.ts";
import { alertsLane } from "#attention/alerts.ts";
import {
  createDefaultAccount,
  createSetupCode,
  createStartCode,
  renewApiKey,
} from "#configure/command-line.ts";
import { createAccountChanges } from "#core/account-changes.ts";
import type { Core } from "#core/core.ts";
import { openSealer } from "#core/master-key.ts";
import { createReportReader } from "#gateways/email/reports/reader.ts";
import { buildApp } from "#http/app.ts";
import { createSharedLimits, type SharedLimits } from "#http/auth/shared-limits.ts";
import type { HttpCore } from "#http/call.ts";
import { closeApp } from "#http/server/shutdown.ts";
import type { HttpSettings } from "#http/settings.ts";
import { createPasswordHasher, type PasswordCost } from "#identity/password.ts";
import { readLoad } from "#maintenance/load.ts";
import { maintenanceLane } from "#maintenance/maintenance.ts";
import { warnAboutHold } from "#maintenance/restore-hold.ts";
import { createAcceptance } from "#messaging/accept/acceptance.ts";
import { createCountWriter } from "#messaging/counts.ts";
import { rerouteLane } from "#messaging/deliver/reroute.ts";
import { type BounceMail, createBounceMail } from "#messaging/feedback/bounce-mail.ts";
import { createCallbacks } from "#messaging/feedback/callbacks.ts";
import { createOpenAndClickTracking } from "#messaging/feedback/opens-and-clicks.ts";
import { Phones } from "#phones/phones.ts";
import type { ListPrices } from "#providers/prices/list-price.ts";
import { applyProvision } from "#provision/apply.ts";
import type { Applied } from "#provision/entry.ts";
import type { ProvisionFile } from "#provision/file.ts";
import { Provisioning } from "#provision/provisioning.ts";
import type { Lanes } from "#queue/lanes.ts";
import { createIds } from "#runtime/ids.ts";
import { createMetrics } from "#runtime/metrics.ts";
import type { HttpServer } from "#runtime/net/http-server.ts";
import type { Runtime } from "#runtime/runtime.ts";
import type { Tracing } from "#runtime/tracing/tracing.ts";
import type { ChangeKind } from "#store/changes.ts";
import type { Database } from "#store/database.ts";
import { watchStorage } from "#store/engine/storage-health.ts";
import { ensureLane } from "#store/lanes/lanes.ts";
import { countWebhooks } from "#store/webhooks/delivery-log.ts";
import { fanOutLane } from "#webhooks/fan-out.ts";
import { createFanOutTrigger } from "#webhooks/fan-out-trigger.ts";
import { createLanes, type LanesSettings } from "./lanes.ts";

export interface SystemSettings extends HttpSettings, LanesSettings {
  masterKey: string;
  /** Maximum size of a whole answer of an AI provider, bytes. */
  answerBytes: number;
  /** The AI vendors' list prices; absent for those that come with this version. */
  listPrices?: ListPrices | undefined;
  showApiKeys: boolean;
  /** Where spans of AI calls are sent; absent if they are not sent. The system stops it. */
  tracing?: Tracing | null;
  /** Only for tests, whose passwords protect nothing; absent for the cost that every installation has. */
  passwordCost?: PasswordCost;
}

export interface System {
  app: HttpServer;
  core: HttpCore;
  database: Database;
  lanes: Lanes;
  /** Accepts what the mail port receives. */
  bounceMail: BounceMail;
  /** What mail submission shares with HTTP. */
  sharedLimits: SharedLimits;
  /** Applies a provisioning file at the start. */
  provision(file: ProvisionFile): Promise<Applied>;
  createDefaultAccount(): Promise<{ apiKey: string; poolKey: string } | null>;
  renewKey(accountName: string): Promise<string | null>;
  createSetupCode(email?: string): Promise<string>;
  /** A set-up code while no operator can sign in, otherwise null. */
  createStartCode(): Promise<string | null>;
  /** Starts driving lanes. */
  start(): Promise<void>;
  /** From now on readiness reports that the process is stopping; requests are still accepted. */
  announceStop(): void;
  /** Stops: no new attempt begins, and requests and attempts in progress get 30 s. */
  stop(): Promise<void>;
}

const graceMs = 30_000;
/** A phone that becomes silent is noticed after half an hour, plus or minus this. */
const minSweepMs = 30_000;
/** `opened`: a database that the system closes when it stops. */
export async function openSystem(
  runtime: Runtime,
  settings: SystemSettings,
  opened: Database,
): Promise<System> {
  const { clock, random, log } = runtime;
  const storage = watchStorage(opened, clock);
  const { database } = storage;
  const { masterKey, tracing = null, ...shared } = settings;
  const sealer = await openSealer(masterKey, random, database);
  const newId = createIds(clock, random);
  const readWebhooks = () => database.run(countWebhooks, null);
  const metrics = createMetrics(
    () => readLoad({ clock, database }),
    readWebhooks,
    () => ai.members(),
    tracing?.dropped,
  );
  const core: Core = { ...runtime, database, sealer, newId, newIds: newId.many, metrics };
  const stopping = new AbortController();

  const authenticator = createAuthenticator(core);
  const ai = new AiGateway({
    ...core,
    place: () => placeOf(processId, lanes.heartbeatsSeen(), settings.takeoverMs),
    takeoverMs: settings.takeoverMs,
    answerBytes: settings.answerBytes,
    listPrices: settings.listPrices,
    tracer: tracing?.tracer,
    counted: {
      call: metrics.completion,
      dropped: metrics.usageDropped,
      contentsDropped: metrics.contentsDropped,
    },
  });
  const reports = createReportReader({ clock, log, unreadable: metrics.reportUnreadable });
  const phones = new Phones({
    ...core,
    publicUrl: settings.publicUrl,
    sweepMs: Math.max(minSweepMs, settings.heartbeatMs),
  });
  const feedback = { ...core, readReport: reports.read, publicUrl: settings.publicUrl };
  const openAndClickTracking = createOpenAndClickTracking(core);
  const countWriter = createCountWriter(core);
  const processId = newId("prc");
  const acceptance = createAcceptance(core);
  const lanes = createLanes(core, settings, processId, { acceptance, ai, phones });
  const accountChanges = createAccountChanges(core);
  const fanOutTrigger = createFanOutTrigger(database, () => lanes.wake(fanOutLane.id));
  const changed: Record<ChangeKind, () => void> = {
    events: fanOutTrigger.eventsRecorded,
    counts: countWriter.start,
    lanes: () => {
      lanes.changed();
      phones.gatewaysChanged();
      void fanOutTrigger.refresh();
    },
    pauses: () => lanes.wake(rerouteLane.id),
    accounts: authenticator.invalidate,
    pools: () => ai.forget(),
  };
  database.onChanges(({ kinds, due }) => {
    for (const kind of kinds) changed[kind]();
    for (const [laneId, dueAt] of due) lanes.wake(laneId, dueAt);
  });

  const httpCore: HttpCore = {
    ...core,
    authenticator,
    acceptance,
    callbacks: createCallbacks(feedback),
    openAndClickTracking,
    phones,
    passwords: createPasswordHasher(random, settings.passwordCost),
    ai,
    readiness: async () => {
      const state = await storage.check();
      const draining = stopping.signal.aborted;
      return {
        ready: state === "ok" && !draining,
        checks: { storage: state, process: draining ? "is stopping" : "ok" },
      };
    },
    showApiKeys: settings.showApiKeys,
    accountChanges,
    provisioning: new Provisioning({ ...core, showApiKeys: settings.showApiKeys }),
    processId,
    startedAt: clock.now(),
    heartbeatsSeen: () => lanes.heartbeatsSeen(),
  };
  const sharedLimits = createSharedLimits(core.clock, shared);
  const app = buildApp(httpCore, shared, {}, sharedLimits);

  return {
    app,
    core: httpCore,
    database,
    lanes,
    bounceMail: createBounceMail(feedback),
    sharedLimits,
    provision: (file) => applyProvision(httpCore, file),
    createDefaultAccount: () => createDefaultAccount(httpCore),
    renewKey: (name) => renewApiKey(httpCore, name),
    createSetupCode: (email) => createSetupCode(httpCore, email),
    createStartCode: () => createStartCode(httpCore),
    start: async () => {
      await fanOutTrigger.refresh();
      for (const lane of [fanOutLane, maintenanceLane, rerouteLane, alertsLane])
        await database.run(ensureLane, lane);
      await warnAboutHold(core);
      await lanes.start();
      phones.start();
    },
    announceStop: () => stopping.abort(),
    stop: async () => {
      stopping.abort();
      accountChanges.close();
      await phones.stop();
      await Promise.all([lanes.stop(graceMs), closeApp(app, clock, graceMs, () => ai.interrupt())]);
      await Promise.all([openAndClickTracking.close(), reports.close()]);
      await countWriter.stop();
      await ai.stop();
      await tracing?.stop();
      await Promise.all([runtime.outbound.close(), runtime.upstreams.close()]);
      await database.close();
    },
  };
}
