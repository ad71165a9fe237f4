// Puts the parts together; tests do it with a runtime of their own.

import type { FastifyInstance } from "fastify";
import { createAuthenticator } from "#accounts/authenticate.ts";
import { readCredit } from "#accounts/credit.ts";
import { openAiGateway } from "#ai/ai.ts";
import { accountInput, issueApiKey, upsertAccount } from "#configure/account.ts";
import { type ConfigureParts, gatewayInput, upsertGateway } from "#configure/gateway.ts";
import { upsertPool } from "#configure/pool.ts";
import { poolInput } from "#configure/pool-input.ts";
import { type Channel, channels } from "#contract/messages/channel.ts";
import { createReportReader } from "#gateways/email/reports/reader.ts";
import { buildApp } from "#http/app.ts";
import { audit, commandLine } from "#identity/audit.ts";
import { createPasswordHasher } from "#identity/password.ts";
import { createSetupCode } from "#identity/setup.ts";
import { maintenanceLane, openMaintenance, type RetentionPolicy } from "#maintenance/maintenance.ts";
import { warnAboutHold } from "#maintenance/restore-hold.ts";
import { type AcceptResult, acceptEmail, acceptSms } from "#messaging/accept/accept.ts";
import { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import { openGateway, recoverGateway } from "#messaging/deliver/open-gateway.ts";
import { rerouteMessages } from "#messaging/deliver/reroute.ts";
import { createMailFiles } from "#messaging/email/files.ts";
import { createTrackingExtras } from "#messaging/email/links.ts";
import { type BounceMail, createBounceMail } from "#messaging/feedback/bounce-mail.ts";
import { receiveCallback } from "#messaging/feedback/callbacks.ts";
import { createOpenAndClickTracking } from "#messaging/feedback/opens-and-clicks.ts";
import { received } from "#messaging/inbound.ts";
import { cancel, lookup, recent } from "#messaging/lookup.ts";
import { eventRecordOf } from "#messaging/record.ts";
import { resolve } from "#messaging/resolve.ts";
import { sandboxModels } from "#providers/sandbox/sandbox.ts";
import { applyProvision } from "#provision/apply.ts";
import type { ProvisionFile } from "#provision/file.ts";
import type { Applied } from "#provision/parts.ts";
import { AutoResetEvent } from "#queue/auto-reset-event.ts";
import { Lanes } from "#queue/lanes.ts";
import { priorities } from "#queue/priority.ts";
import { createIds } from "#runtime/ids.ts";
import { createMetrics } from "#runtime/metrics.ts";
import type { Runtime } from "#runtime/runtime.ts";
import { startOfMonth } from "#runtime/time-zones.ts";
import { countAccounts, findAccountByName } from "#store/accounts/accounts.ts";
import { type Database, StorageError } from "#store/database.ts";
import { watchStorage } from "#store/engine/storage-health.ts";
import { countWaiting, ensureLane } from "#store/lanes/lanes.ts";
import { keepFact } from "#store/maintenance/provisioned.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { createSealer } from "#store/seal.ts";
import { countWebhooks } from "#store/webhooks/delivery-log.ts";
import { fanOutLane, openFanOut } from "#webhooks/fan-out.ts";
import { createFanOutTrigger } from "#webhooks/listening.ts";
import { openEndpointLane } from "#webhooks/open-endpoint.ts";

export interface SystemSettings {
  masterKey: string;
  publicUrl: string | null;
  maxContacts: number;
  /** Longest whole answer of an AI provider, bytes. */
  answerBytes: number;
  maxBodyBytes: number;
  maxUploadBytes: number;
  maxKeylessBodyBytes: number;
  maxBodiesBytes: number;
  maxConnections: number;
  trustedProxies: readonly string[];
  metricsToken: string | null;
  showApiKeys: boolean;
  takeoverMs: number;
  /** How often a process shows that it lives and looks after the lanes, ms. */
  heartbeatMs: number;
  /** How often all lanes are looked at together for what other processes accepted, should a hint get lost, ms. */
  pollMs: number;
  /** How often what is old or too late is looked for, ms. */
  maintenanceMs: number;
  /** How long what is over is kept. */
  retention: RetentionPolicy;
}

export interface System {
  app: FastifyInstance;
  database: Database;
  configure: ConfigureParts & { random: Runtime["random"]; dns: Runtime["dns"]; showApiKeys: boolean };
  lanes: Lanes;
  /** What the mail port takes in. */
  bounceMail: BounceMail;
  /** Applies a provisioning file. */
  provision(file: ProvisionFile): Promise<Applied>;
  /** With no account yet: makes one with sandbox gateways and a sandbox pool, and returns its keys; else null. */
  makeDefaultAccount(): Promise<{ apiKey: string; poolKey: string } | null>;
  /** A new API key for an account; null when there is no such account. */
  renewKey(accountName: string): Promise<string | null>;
  /**
   * A one-time code that makes an operator at `POST /api/manage/v1/setup` within 24 h. With an e-mail address it
   * works for that one alone, and gives an operator who has it a new password.
   */
  makeSetupCode(email?: string): Promise<string>;
  /** Starts driving lanes. */
  start(): Promise<void>;
  /** Stops: nothing new goes out, what is on the wire gets 30 s. */
  stop(): Promise<void>;
}

/** A wall clock that was set is noticed by a lane outside its hours within this, ms. */
const longestLaneWaitMs = 60_000;
const graceMs = 30_000;
/** How long the last words of streams may take to go out. */
const farewellMs = 1_000;

/** `opened`: a database that the system closes when it stops. */
export async function openSystem(
  runtime: Runtime,
  settings: SystemSettings,
  opened: Database,
): Promise<System> {
  const { clock, random, outbound, upstreams, dns, log, crashPoint } = runtime;
  const sealer = createSealer(settings.masterKey, random);
  const health = watchStorage(opened, clock);
  const { database } = health;
  const kept = await database.run(keepFact, { name: "master_key", value: sealer.fingerprint });
  if (kept !== sealer.fingerprint) {
    await database.close();
    throw new StorageError(
      "failed",
      "The master key is not the one that this database was sealed with. Give the one it was made with (TRUNKLINE_MASTER_KEY, or master.key in the data folder).",
    );
  }

  const ids = createIds(clock, random);
  const authenticator = createAuthenticator({ database, clock });
  const readLoad = async () => {
    const now = clock.now();
    const counts = await database.run(countWaiting, { bands: priorities, now });
    return counts.map((count) => ({
      gateway: count.identifier,
      waiting: count.waiting,
      oldestSeconds: count.oldest === null ? 0 : Math.max(0, now - count.oldest) / 1000,
      paused: count.paused === 1,
    }));
  };
  const metrics = createMetrics(readLoad, () => database.run(countWebhooks, null));
  /** Webhook endpoints may ask for what just happened. */
  const listening = createFanOutTrigger(database, () => lanes.wake(fanOutLane.id));
  const { eventsRecorded: announced } = listening;
  /** Ended when a lane is paused, or goes on: messages may have to move. */
  const pauses = new AutoResetEvent();
  const longestWaitMs = Math.max(settings.pollMs, longestLaneWaitMs);
  const delivering = {
    announced,
    newId: ids,
    pausesChanged: () => pauses.set(),
    database,
    clock,
    random,
    outbound,
    log,
    crashPoint,
    metrics,
    sealer,
    publicUrl: settings.publicUrl,
    longestWaitMs,
    composing: {
      database,
      files: createMailFiles(database),
      add: createTrackingExtras({ sealer, publicUrl: settings.publicUrl, log }),
    },
  };
  const telling = {
    database,
    clock,
    random,
    outbound,
    log,
    crashPoint,
    metrics,
    sealer,
    pollMs: settings.pollMs,
    longestWaitMs,
    record: (message: MessageRow) => eventRecordOf(message),
    wake: (id: string, dueAt: number) => lanes.wake(id, dueAt),
    lanesChanged: () => lanes.changed(),
  };
  const { retention, maintenanceMs: intervalMs } = settings;
  const maintaining = { database, clock, log, retention, intervalMs, announced };
  const lanes: Lanes = new Lanes({
    database,
    clock,
    log,
    processId: ids("prc"),
    takeoverMs: settings.takeoverMs,
    heartbeatMs: settings.heartbeatMs,
    pollMs: settings.pollMs,
    // Of the other kinds nothing is stamped.
    recover: async (lane) => {
      if (lane.kind === "gateway") await recoverGateway(delivering, lane);
    },
    open: async (lane) => {
      switch (lane.kind) {
        case "gateway":
          return await openGateway(delivering, lane);
        case "webhook":
          return await openEndpointLane(telling, lane);
        case "fan_out":
          return openFanOut(telling, lane);
        case "upkeep":
          return openMaintenance(maintaining, lane);
      }
    },
  });
  const ai = openAiGateway({
    database,
    clock,
    random,
    log,
    sealer,
    upstreams,
    newId: ids,
    takeoverMs: settings.takeoverMs,
    answerBytes: settings.answerBytes,
    announced,
    counted: { call: metrics.completion, dropped: metrics.usageDropped },
  });
  const configure = {
    database,
    clock,
    outbound,
    sealer,
    random,
    dns,
    showApiKeys: settings.showApiKeys,
    newId: ids,
    accountsChanged: authenticator.invalidate,
    lanesChanged: () => {
      lanes.changed();
      void listening.refresh();
    },
    poolsChanged: () => ai.forget(),
  };
  const accepting = {
    database,
    clock,
    newIds: ids.many,
    crashPoint,
    wake: (id: string, dueAt: number) => lanes.wake(id, dueAt),
    announced,
    inProgressKeys: new Set<string>(),
  };
  const reports = createReportReader({ clock, log, unreadable: metrics.reportUnreadable });
  const reporting = { database, clock, log, sealer, announced, readReport: reports.read };
  const receiving = { ...reporting, outbound, newId: ids, crashPoint, metrics };
  const visits = createOpenAndClickTracking({ database, clock, log, sealer, announced });
  const countSend = (channel: Channel, result: AcceptResult) => {
    if (result.kind === "accepted") metrics.accepted(channel, result.ids.length);
    else if (result.kind !== "replayed") metrics.refused(channel, result.kind);
  };
  let draining = false;

  const app = buildApp(
    {
      clock,
      random,
      log,
      authenticate: authenticator.authenticate,
      acceptSms: async (account, requestId, send, repeatable) => {
        const result = await acceptSms(accepting, account, requestId, send, repeatable);
        countSend("sms", result);
        return result;
      },
      acceptEmail: async (account, requestId, send, files, repeatable) => {
        const result = await acceptEmail(accepting, account, requestId, send, files, repeatable);
        countSend("email", result);
        return result;
      },
      openAttachmentUpload: (account) => new AttachmentUpload({ database, clock, log, newId: ids }, account),
      lookup: (account, channel, id) => lookup(database, account, channel, id),
      recent: (account, channel, query) => recent(database, account, channel, query),
      cancel: (account, channel, id) => cancel({ database, clock, announced }, account, channel, id),
      resolve: (...asked) => resolve({ database, clock, announced, wake: (id) => lanes.wake(id) }, ...asked),
      received: (account, channel, query) => received(database, account.id, channel, query),
      credit: (account) => readCredit(database, account.id, startOfMonth(clock.now(), account.timeZone)),
      callback: (identifier, request) => receiveCallback(receiving, identifier, request),
      openAndClickTracking: visits,
      readiness: async () => {
        const storage = await health.check();
        return {
          ready: storage === "ok" && !draining,
          checks: { storage, process: draining ? "is stopping" : "ok" },
        };
      },
      metrics: metrics.text,
      ai,
      manage: {
        database,
        configure,
        passwords: createPasswordHasher(random),
        wake: (id) => lanes.wake(id),
        poolHealth: async (id) => ai.health(id),
      },
    },
    {
      publicUrl: settings.publicUrl,
      maxContacts: settings.maxContacts,
      maxBodyBytes: settings.maxBodyBytes,
      maxUploadBytes: settings.maxUploadBytes,
      maxKeylessBodyBytes: settings.maxKeylessBodyBytes,
      maxBodiesBytes: settings.maxBodiesBytes,
      maxConnections: settings.maxConnections,
      trustedProxies: settings.trustedProxies,
      metricsToken: settings.metricsToken,
    },
  );

  const stopping = new AbortController();
  let rescuing: Promise<void> | null = null;

  /** Answers that take longer than the grace are ended: streams by an error, the others with their connection. */
  async function closeApp(): Promise<void> {
    const patience = new AbortController();
    const closed = app.close().then(() => patience.abort());
    await clock.sleep(graceMs, patience.signal);
    if (!patience.signal.aborted) {
      ai.interrupt();
      await clock.sleep(farewellMs, patience.signal);
      app.server.closeAllConnections();
    }
    await closed;
  }

  return {
    app,
    database,
    configure,
    lanes,
    bounceMail: createBounceMail(reporting),
    provision: (file) => applyProvision({ ...configure, log }, file),
    makeDefaultAccount: async () => {
      if ((await database.run(countAccounts, null)) > 0) return null;
      const accountId = await upsertAccount(
        configure,
        accountInput.parse({
          name: "default",
          plan: { name: "unlimited" },
        }),
      );
      for (const channel of channels) {
        const input = { identifier: `sandbox-${channel}`, channel, kind: "sandbox", default: true };
        await upsertGateway(configure, accountId, gatewayInput.parse(input));
      }
      const pool = poolInput.parse({
        name: "default",
        members: [{ name: "sandbox", kind: "sandbox", models: sandboxModels, embedding_models: ["echo"] }],
        keys: [{ name: "default" }],
      });
      const made = await upsertPool(configure, accountId, pool);
      const poolKey = made.kind === "saved" ? made.issuedKeys[0]?.key : undefined;
      if (poolKey === undefined) throw new Error("The sandbox pool could not be made.");
      return { apiKey: await issueApiKey(configure, accountId), poolKey };
    },
    renewKey: async (name) => {
      const account = await database.run(findAccountByName, name);
      if (!account) return null;
      const key = await issueApiKey(configure, account.id);
      const done = { actor: commandLine, accountId: account.id, action: "renewApiKey", target: account.id };
      await audit({ database, clock, newId: ids }, done);
      return key;
    },
    makeSetupCode: async (email) => {
      const code = await createSetupCode({ database, clock, random }, email);
      const fields = email === undefined ? [] : ["email"];
      await audit({ database, clock, newId: ids }, { actor: commandLine, action: "makeSetupCode", fields });
      return code;
    },
    start: async () => {
      await listening.refresh();
      await database.run(ensureLane, fanOutLane);
      await database.run(ensureLane, maintenanceLane);
      await warnAboutHold({ database, log });
      await lanes.start();
      rescuing = rerouteMessages(
        { database, clock, log, wake: (id) => lanes.wake(id) },
        settings.heartbeatMs,
        stopping.signal,
        pauses,
      );
    },
    stop: async () => {
      draining = true;
      stopping.abort();
      await Promise.all([lanes.stop(graceMs), closeApp(), rescuing]);
      await Promise.all([visits.close(), reports.close()]);
      await ai.stop();
      await Promise.all([outbound.close(), upstreams.close()]);
      await database.close();
    },
  };
}
