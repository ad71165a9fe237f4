// The installation as a whole, for operators: its version and database, and the end of the hold after a restore.

import { holdEndedReply, installationReply } from "#contract/manage/installation.ts";
import { endpoint } from "#http/endpoint.ts";
import { cancelAllHeld, currentHold, releaseAllHeld } from "#maintenance/restore-hold.ts";
import { version } from "#runtime/version.ts";

export const getInstallationRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/installation",
  name: "getInstallation",
  tag: "Installation",
  summary: "Get the installation",
  description: "The reply has the version, the database engine, and what is held after a restore.",
  family: "manage",
  scope: "installation",
  replies: { 200: installationReply },
  problems: [],
})(async ({ core }) => {
  const { database } = core;
  const held = await currentHold(database);
  return {
    status: 200,
    body: {
      success: true,
      message: "Installation found.",
      data: {
        version,
        engine: database.engine,
        held: held && { ...held, at: new Date(held.at).toISOString() },
      },
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
  family: "manage",
  scope: "installation",
  replies: { 200: holdEndedReply },
  problems: [],
})(async ({ core }) => {
  const data = await releaseAllHeld(core);
  return { status: 200, body: { success: true, message: "What was held has been released.", data } };
});

export const cancelHeldMessagesRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/installation/cancel-held",
  name: "cancelHeldMessages",
  tag: "Installation",
  summary: "Cancel what is held after a restore",
  description:
    "Nothing that was pending in the backup is sent. The messages are cancelled and their credit is returned, the webhook deliveries fail, and events that were not distributed are dropped. Cancelling again changes nothing.",
  family: "manage",
  scope: "installation",
  replies: { 200: holdEndedReply },
  problems: [],
})(async ({ core }) => {
  const data = await cancelAllHeld(core);
  return { status: 200, body: { success: true, message: "What was held has been cancelled.", data } };
});
