// GET /health/live and GET /health/ready

import { liveReply, readyReply } from "#contract/replies.ts";
import { endpoint } from "#http/endpoint.ts";

export const getLivenessRoute = endpoint({
  method: "GET",
  path: "/health/live",
  name: "live",
  tag: "Operations",
  summary: "Whether the process runs",
  family: "open",
  replies: { 200: liveReply },
  problems: [],
})(async () => ({ status: 200, body: { status: "live" } }));

export const getReadinessRoute = endpoint({
  method: "GET",
  path: "/health/ready",
  name: "ready",
  tag: "Operations",
  summary: "Whether requests can be served",
  family: "open",
  replies: { 200: readyReply, 503: readyReply },
  problems: [],
})(async ({ core }) => {
  const readiness = await core.readiness();
  const { checks } = readiness;
  if (readiness.ready) return { status: 200, body: { status: "ready", checks } };
  return { status: 503, body: { status: "not_ready", checks } };
});
