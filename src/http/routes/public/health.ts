// Liveness, which depends only on the process, and readiness, which checks the dependencies of the process.

import { liveReply, notReadyReply, readyReply } from "#contract/replies.ts";
import { endpoint } from "#http/endpoint.ts";
import { version } from "#runtime/program.ts";

export const getLivenessRoute = endpoint({
  method: "GET",
  path: "/health/live",
  name: "getLiveness",
  tag: "Operations",
  summary: "Get the liveness of the process",
  description: "The process answers as long as it runs.",
  family: "open",
  replies: { 200: liveReply },
})(async () => ({ status: 200, body: { status: "live", version } }));

export const getReadinessRoute = endpoint({
  method: "GET",
  path: "/health/ready",
  name: "getReadiness",
  tag: "Operations",
  summary: "Get the readiness of the service",
  description: "The reply says whether the service can take requests, and the result of each check.",
  family: "open",
  replies: { 200: readyReply, 503: notReadyReply },
})(async ({ core }) => {
  const readiness = await core.readiness();
  const { checks } = readiness;
  if (readiness.ready) return { status: 200, body: { status: "ready", checks } };
  return { status: 503, body: { status: "not_ready", checks } };
});
