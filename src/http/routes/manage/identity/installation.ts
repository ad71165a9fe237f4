// The installation as a whole, for operators: what runs, and the end of the hold after a restore.

import { holdEndedReply, installationReply } from "#contract/manage/installation.ts";
import { endpoint } from "#http/endpoint.ts";
import { cancelAllHeld, currentHold, releaseAllHeld } from "#maintenance/restore-hold.ts";
import { version } from "#runtime/version.ts";

export const getInstallationRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/installation",
  name: "readInstallation",
  tag: "Installation",
  summary: "What runs, and whether something is held",
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
      message: "The installation.",
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
  name: "releaseInstallation",
  tag: "Installation",
  summary: "Release what is held",
  description:
    "What was pending in the backup that this installation was restored from becomes due as it was. Messages that are too late by now (the account's lateness window) expire. Repeating it is harmless.",
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
  name: "cancelHeld",
  tag: "Installation",
  summary: "Cancel what is held",
  description:
    "What was pending in the backup that this installation was restored from is not sent: the messages are cancelled and their credit goes back, the webhook deliveries have failed, and events that had not been handed out are dropped. Repeating it is harmless.",
  family: "manage",
  scope: "installation",
  replies: { 200: holdEndedReply },
  problems: [],
})(async ({ core }) => {
  const data = await cancelAllHeld(core);
  return { status: 200, body: { success: true, message: "What was held has been cancelled.", data } };
});
