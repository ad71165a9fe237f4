// Posts an endpoint's deliveries: the work of its lane. What is posted is made from the event: itself, signed by the Standard Webhooks
// scheme, or (`twilio-request.ts`) the form that Twilio would post. Delivery is at least once and attempts are not recorded before the call, so a
// delivery that was posted by a process that then died is posted again with the same webhook-id, by which its receiver recognises it.

import type { Core } from "#core/core.ts";
import type { LaneWork } from "#queue/lane-work.ts";
import { priorities } from "#queue/priority.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import { cleanText } from "#settings/redact.ts";
import { retryAfter } from "#settings/retry-after.ts";
import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import {
  type DeliveryAttempt,
  type DueDelivery,
  nextDueDelivery,
  type PendingDelivery,
  readDueDeliveries,
  readPendingDeliveries,
  settleDeliveries,
} from "#store/webhooks/deliveries.ts";
import { endpointSecretContext } from "#store/webhooks/endpoints.ts";
import type { EndpointRequest } from "./endpoint-request.ts";
import { openUrl } from "./endpoint-url.ts";
import { failPendingDeliveries } from "./fail-pending.ts";
import { maxRetryAfterMs, nextTryMs } from "./retry.ts";
import { signedHeaders, userAgent } from "./sign.ts";
import { twilioRequests } from "./twilio-request.ts";

export type PostDeps = Pick<
  Core,
  "clock" | "crashPoint" | "database" | "log" | "metrics" | "outbound" | "random" | "sealer"
>;

/** The outcome of a post. `stopped`: this process stopped while the post was in flight, and the attempt does not count. */
type PostResult =
  | { kind: "delivered"; line: DeliveryAttempt }
  | { kind: "failed"; line: DeliveryAttempt; gone: boolean; retryAfterMs: number }
  | { kind: "stopped" };

const timeoutMs = 15_000;
const maxResponseBytes = 16 * 1024;
/** How much of a response is kept in the delivery log. */
const maxLoggedCharacters = 500;

/** Makes the request at a time (epoch ms); a sentence if it cannot be made. */
type MakeRequest = (at: number) => EndpointRequest | string;

/** The work of an endpoint's lane, held under `fence`. */
export function postWork(
  deps: PostDeps,
  endpointId: string,
  fence: number,
): LaneWork<DueDelivery, PostResult> {
  const { database, clock, crashPoint, log } = deps;
  const prepared = new Map<string, MakeRequest>();
  return {
    readDue: (query) => database.run(readDueDeliveries, { laneId: endpointId, ...query }),
    nextDue: (now) => database.run(nextDueDelivery, { laneId: endpointId, priorities, now }),
    // Writes nothing, but reads the endpoint and its deliveries again: they may have changed since they were read ahead.
    beginAttempts: async (rows) => {
      const eventIds = rows.map(({ id }) => id);
      const found = await database.run(readPendingDeliveries, { endpointId, fence, eventIds });
      if (found.kind === "fenced") return found;
      const attempts = new Map<string, number>();
      if (found.kind === "inactive") return { kind: "begun", attempts };
      const { endpoint } = found;
      const requestOf =
        endpoint.format === "twilio" ? twilioRequests(deps.sealer) : eventRequests(deps, endpoint);
      for (const delivery of found.deliveries) {
        prepared.set(delivery.id, (sentAt) => requestOf(delivery, sentAt));
        attempts.set(delivery.id, delivery.attempts + 1);
      }
      return { kind: "begun", attempts };
    },
    send: async (row, _attempt, signal) => {
      const make = prepared.get(row.id)!;
      prepared.delete(row.id);
      crashPoint("post.before");
      const result = await post(deps, make, signal);
      crashPoint("post.after");
      deps.metrics.webhookTry(result.kind);
      return result;
    },
    settle: async (row, attempt, result) => {
      if (result.kind === "stopped") return null;
      const at = clock.now();
      const wait =
        result.kind === "failed" ? nextTryMs(attempt, deps.random.random(), result.retryAfterMs) : null;
      const { dueAt, disabled } = await database.run(settleDeliveries, {
        endpointId,
        eventId: row.id,
        attempt,
        at,
        line: result.line,
        outcome:
          result.kind === "delivered"
            ? { kind: "delivered" }
            : { kind: "failed", dueAt: wait === null ? null : at + wait, gone: result.gone },
      });
      if (disabled !== null) {
        log.warn(
          { event: "webhook_endpoint.disabled", endpoint: endpointId, reason: disabled },
          "A webhook endpoint was disabled.",
        );
        await failPendingDeliveries(deps, endpointId, disabled);
      }
      return dueAt;
    },
    // No breaker: deliveries keep their retry schedule for every answer of the endpoint.
  };
}

function openSecrets({ sealer, clock, log }: PostDeps, endpoint: WebhookEndpointsTable): string[] {
  const { id, secret, old_secret, old_secret_until } = endpoint;
  const sealed = [secret];
  if (old_secret !== null && clock.now() < (old_secret_until ?? 0)) sealed.push(old_secret);
  try {
    return sealed.map((text) => sealer.unseal(text, endpointSecretContext(id)));
  } catch (error) {
    log.error(
      { event: "webhook_endpoint.secret_unreadable", endpoint: id, error },
      "The secret of a webhook endpoint cannot be unsealed; nothing is posted to it.",
    );
    return [];
  }
}

/** The requests of an endpoint that receives events as they are, signed. */
function eventRequests(
  deps: PostDeps,
  endpoint: WebhookEndpointsTable,
): (delivery: PendingDelivery, at: number) => EndpointRequest | string {
  const url = openUrl(deps.sealer, endpoint);
  const secrets = openSecrets(deps, endpoint);
  return ({ id, body }, at) => {
    // A receiver would refuse an unsigned post or, worse, accept it.
    if (secrets.length === 0) return "The endpoint's secret does not open: give it a new one.";
    if (url === null) return "The endpoint's URL does not open: give it again.";
    return { url, headers: signedHeaders(secrets, id, at, body), body, secrets };
  };
}

async function post(
  { outbound, clock }: PostDeps,
  make: MakeRequest,
  signal: AbortSignal,
): Promise<PostResult> {
  const at = clock.now();
  const started = clock.monotonic();
  const failed = (reason: string, response: { status: number; text: string } | null, retryAfterMs = 0) => ({
    kind: "failed" as const,
    line: {
      at,
      ms: Math.round(clock.monotonic() - started),
      status: response?.status ?? null,
      reason,
      answer: response?.text ?? null,
    },
    gone: response?.status === 410,
    retryAfterMs,
  });
  const request = make(at);
  if (typeof request === "string") return failed(request, null);
  const { secrets, ...sent } = request;
  const result: OutboundResult = await outbound.request({
    ...sent,
    method: "POST",
    headers: { "user-agent": userAgent, ...sent.headers },
    timeoutMs,
    maxBytes: maxResponseBytes,
    truncate: true,
    signal,
  });
  if (result.kind !== "answer") return signal.aborted ? { kind: "stopped" } : failed(result.reason, null);
  const { status, headers, body } = result;
  const hidden = [...secrets, ...privateParts(sent.url)];
  const text = cleanText(body.toString("utf8"), hidden, maxLoggedCharacters);
  if (status >= 200 && status < 300) {
    const ms = Math.round(clock.monotonic() - started);
    return { kind: "delivered", line: { at, ms, status, reason: null, answer: text } };
  }
  const redirected = status >= 300 && status < 400;
  const mayDelay = status === 429 || status === 503;
  return failed(
    redirected ? `It answered ${status}; redirects are not followed.` : `It answered ${status}.`,
    { status, text },
    mayDelay ? (retryAfter(headers["retry-after"], at, maxRetryAfterMs).retryAfterMs ?? 0) : 0,
  );
}

/** The parts of a URL that may be secret: many hooks carry a key in the path or the query, and some receivers echo it. */
function privateParts(text: string): string[] {
  const url = URL.parse(text);
  if (url === null) return [text];
  const { href, pathname, search, searchParams } = url;
  const parts = [...pathname.split("/"), ...searchParams.values()].filter((part) => part.length >= 8);
  return [href, ...(pathname.length + search.length > 1 ? [pathname + search] : []), ...parts];
}
