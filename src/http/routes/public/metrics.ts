// GET /metrics: with the configured token, or, if none is configured, for callers on the machine itself.

import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { problem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";

function hasToken(request: IncomingMessage, token: string): boolean {
  const supplied = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  return supplied !== undefined && constantTimeEqual(supplied, token);
}

const loopback = /^(::ffff:)?127\.|^::1$/;
/** `Host` of a caller on the machine itself. A page whose own name resolves to this machine sends that name. */
const loopbackHost = /^(?:(?:[a-z0-9-]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** Headers that proxies, load balancers and CDNs add. */
const addedByProxies =
  /^(?:forwarded|via|cdn-loop|client-ip|true-client-ip|proxy-.*|wl-proxy-.*|x-(?:forwarded|original|real|client|cluster|envoy|proxyuser|arr|amzn|amz-cf|azure|appengine|cloud-trace|vercel|nf|scheme|request-start|http).*|cf-.*|fastly-.*|fly-.*|do-connecting-ip|ali-cdn-.*|incap-.*)$/;

/**
 * On the machine itself, and not through a proxy there that serves others. A proxy shows itself by what it adds, by a
 * visitor's `Host`, or by HTTP/1.0, which nginx speaks to servers by default. One that shows itself by none
 * of them (`proxy_pass` with `proxy_http_version 1.1` alone) looks as the machine itself does: it takes the token.
 */
function isDirect({ socket, headers, httpVersion }: IncomingMessage): boolean {
  if (!loopback.test(socket.remoteAddress ?? "")) return false;
  if (httpVersion === "1.0" || !loopbackHost.test(headers.host ?? "")) return false;
  return !Object.keys(headers).some((name) => addedByProxies.test(name));
}

export const getMetricsRoute = endpoint({
  method: "GET",
  path: "/metrics",
  name: "getMetrics",
  tag: "Operations",
  summary: "Get the metrics for Prometheus",
  description:
    "The request needs `TRUNKLINE_METRICS_TOKEN` as a Bearer token. Without that setting, only direct requests from the same machine to `localhost` or a loopback address are answered.",
  family: "open",
  replies: { 200: z.string().describe("Prometheus text.") },
  replyType: "text/plain; version=0.0.4; charset=utf-8",
  problems: ["forbidden", "unavailable"],
})(async ({ core, settings, request }) => {
  const allowed =
    settings.metricsToken === null ? isDirect(request) : hasToken(request, settings.metricsToken);
  if (!allowed) return problem("forbidden");
  return { status: 200, body: await core.metrics.text(), type: "text/plain; version=0.0.4; charset=utf-8" };
});
