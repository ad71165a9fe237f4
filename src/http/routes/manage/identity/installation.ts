// The installation as a whole, for operators: its version, database, settings and processes, and the end of the hold after a restore.

import {
  holdEndedReply,
  installationDetailsReply,
  installationReply,
} from "#contract/manage/installation.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import type { RetentionPolicy } from "#maintenance/removals.ts";
import { cancelAllHeld, currentHold, releaseAllHeld } from "#maintenance/restore-hold.ts";
import { commandWords, outdatedNode, version } from "#runtime/program.ts";
import { countHeldByAccount, listProcesses, readDatabaseSize } from "#store/maintenance/installation.ts";

const dayMs = 86_400_000;
const inDays = (ms: number | null) => (ms === null ? null : ms / dayMs);

const retentionOf = ({ messagesMs, webhooksMs, auditMs, usageMs, deferredMs }: RetentionPolicy) => ({
  messages_days: inDays(messagesMs),
  webhooks_days: inDays(webhooksMs),
  audit_days: inDays(auditMs),
  usage_days: inDays(usageMs),
  deferred_days: inDays(deferredMs),
});

export const getInstallationRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/installation",
  name: "getInstallation",
  tag: "Installation",
  summary: "Get the installation",
  description:
    "The reply has the version, the database engine, the process that answers, and what is held after a restore.",
  scope: "installation",
  replies: { 200: installationReply },
})(async ({ core, settings }) => {
  const { database, processId, startedAt } = core;
  const held = await currentHold(database);
  return {
    message: "Installation found.",
    data: {
      version,
      node: { version: process.versions.node, outdated: outdatedNode() },
      engine: database.engine,
      public_url: settings.publicUrl,
      process: processId,
      started_at: isoTime(startedAt),
      held: held && { ...held, at: isoTime(held.at) },
    },
  };
});

export const getInstallationDetailsRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/installation/details",
  name: "getInstallationDetails",
  tag: "Installation",
  summary: "Get the details of the installation",
  description:
    "The reply has the size of the database, the settings of the process that answers, all processes with their lanes, and whose messages are held after a restore. These are measured and counted for each reply.",
  scope: "installation",
  replies: { 200: installationDetailsReply },
})(async ({ core, settings }) => {
  const { database } = core;
  const held = await currentHold(database);
  const accounts = held === null ? [] : await database.run(countHeldByAccount, null);
  const seen = core.heartbeatsSeen();
  const heartbeatOf = (id: string) => {
    const at = seen.get(id);
    return at === undefined ? null : isoTime(at);
  };
  const processes = await database.run(listProcesses, null);
  return {
    message: "Details found.",
    data: {
      commands: {
        backup: commandWords("backup"),
        restore: commandWords("restore"),
        hold: commandWords("hold"),
      },
      size_bytes: await database.run(readDatabaseSize, null),
      outbound_allow: [...settings.outboundAllow],
      retention: retentionOf(settings.retention),
      metrics: settings.metricsToken === null ? "loopback" : "token",
      show_api_keys: core.showApiKeys,
      processes: processes.map(({ id, started_at, lanes }) => ({
        id,
        started_at: isoTime(started_at),
        heartbeat_at: heartbeatOf(id),
        lanes,
      })),
      held_accounts: accounts.map(({ account_id: account, name, messages }) => ({
        account,
        name,
        messages,
      })),
    },
  };
});

export const releaseHeldMessagesRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/installation/release",
  name: "releaseHeldMessages",
  tag: "Installation",
  summary: "Release what is held after a restore",
  description:
    "Messages, webhook deliveries and events that were pending in the backup become due again. Messages that are later than the account's `lateness_ms` expire. Releasing again changes nothing.",
  scope: "installation",
  replies: { 200: holdEndedReply },
})(async ({ core }) => {
  const data = await releaseAllHeld(core);
  return { message: "What was held has been released.", data };
});

export const cancelHeldMessagesRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/installation/cancel-held",
  name: "cancelHeldMessages",
  tag: "Installation",
  summary: "Cancel what is held after a restore",
  description:
    "Nothing that was pending in the backup is sent. The messages are cancelled and their credit is returned, the webhook deliveries fail, and events that were not distributed are dropped. Cancelling again changes nothing.",
  scope: "installation",
  replies: { 200: holdEndedReply },
})(async ({ core }) => {
  const data = await cancelAllHeld(core);
  return { message: "What was held has been cancelled.", data };
});
