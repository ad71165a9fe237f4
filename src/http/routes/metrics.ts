// GET /metrics: with the configured token, or, when none is configured, for callers on the machine itself.

import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { problem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { sameText } from "#runtime/same-text.ts";

function hasToken(request: IncomingMessage, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  return given !== undefined && sameText(given, token);
}

const loopback = /^(::ffff:)?127\.|^::1$/;
const forwarded = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

/** On the machine itself, and not through a proxy there that serves others. */
function isDirect(request: IncomingMessage): boolean {
  if (!loopback.test(request.socket.remoteAddress ?? "")) return false;
  return forwarded.every((name) => request.headers[name] === undefined);
}

export const metrics = endpoint({
  method: "GET",
  path: "/metrics",
  name: "metrics",
  tag: "Operations",
  summary: "Figures for Prometheus",
  description:
    "With `TRUNKLINE_METRICS_TOKEN` as a Bearer token; while none is configured, only for direct callers on the machine itself.",
  family: "open",
  replies: { 200: z.string().describe("Prometheus text.") },
  replyType: "text/plain; version=0.0.4; charset=utf-8",
  problems: ["forbidden", "unavailable"],
})(async ({ parts, settings, request }) => {
  const allowed =
    settings.metricsToken === null ? isDirect(request) : hasToken(request, settings.metricsToken);
  if (!allowed) return problem("forbidden");
  return { status: 200, body: await parts.metrics(), type: "text/plain; version=0.0.4; charset=utf-8" };
});
