// Posts an endpoint's deliveries: the work of its lane. At least once needs no stamp before the call: what a
// process that died had posted is posted again, under the same webhook-id, and its receiver can tell.

import type { Core } from "#core/core.ts";
import { cleanText, retryAfter } from "#gateways/http-outcome.ts";
import type { LaneWork } from "#queue/lane.ts";
import { priorities } from "#queue/priority.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import type { WebhookEndpointsTable } from "#store/schema/schema.ts";
import {
  type DeliveryTry,
  type DueDelivery,
  nextDueDelivery,
  readDueDeliveries,
  readToPost,
  settleDeliveries,
  type ToPost,
} from "#store/webhooks/deliveries.ts";
import { secretPlace } from "#store/webhooks/endpoints.ts";
import { maxRetryAfterMs, retryDelay } from "./retry.ts";
import { signatureHeader } from "./sign.ts";
import { failPendingDeliveries } from "./stop-waiting.ts";

export type PostParts = Pick<
  Core,
  "clock" | "crashPoint" | "database" | "log" | "metrics" | "outbound" | "random" | "sealer" | "signals"
>;

/** What became of a post. `stopped`: this process gave it up while it was under way, and the try does not count. */
export type PostResult =
  | { kind: "delivered"; line: DeliveryTry }
  | { kind: "failed"; line: DeliveryTry; gone: boolean; retryAfterMs: number }
  | { kind: "stopped" };

const timeoutMs = 15_000;
const maxAnswerBytes = 16 * 1024;
/** How much of an answer the log shows, in characters. */
const shownAnswer = 500;

interface Ready {
  delivery: ToPost;
  url: string;
  /** None: they do not open. */
  secrets: string[];
}

/** The work of an endpoint's lane, held under `fence`. */
export function postWork(
  parts: PostParts,
  endpointId: string,
  fence: number,
): LaneWork<DueDelivery, PostResult> {
  const { database, clock, crashPoint, log } = parts;
  const ready = new Map<string, Ready>();
  return {
    readDue: (query) => database.run(readDueDeliveries, { endpointId, ...query }),
    nextDue: (now) => database.run(nextDueDelivery, { endpointId, bands: priorities, now }),
    // Writes nothing, but looks again at what was read ahead: the endpoint and its deliveries are as they are now.
    beginAttempts: async (rows) => {
      const eventIds = rows.map(({ id }) => id);
      const found = await database.run(readToPost, { endpointId, fence, eventIds });
      if (found.kind === "fenced") return found;
      const attempts = new Map<string, number>();
      if (found.kind === "inactive") return { kind: "stamped", attempts };
      const { url } = found.endpoint;
      const secrets = secretsOf(parts, found.endpoint);
      for (const delivery of found.deliveries) {
        ready.set(delivery.id, { delivery, url, secrets });
        attempts.set(delivery.id, delivery.attempts + 1);
      }
      return { kind: "stamped", attempts };
    },
    revertAttempts: async () => {},
    recover: async () => {},
    send: async (row, _attempt, signal) => {
      const one = ready.get(row.id)!;
      ready.delete(row.id);
      crashPoint("post.before");
      const posted = await post(parts, one, signal);
      crashPoint("post.after");
      parts.metrics.webhookTry(posted.kind);
      // The schedule is the promise: a lane of deliveries never pauses.
      return { outcome: posted, health: "well", reason: "" };
    },
    settle: async (row, attempt, posted) => {
      if (posted.kind === "stopped") return null;
      const at = clock.now();
      const wait =
        posted.kind === "failed" ? retryDelay(attempt, parts.random.fraction(), posted.retryAfterMs) : null;
      const { dueAt, disabled } = await database.run(settleDeliveries, {
        endpointId,
        eventId: row.id,
        attempt,
        at,
        line: posted.line,
        outcome:
          posted.kind === "delivered"
            ? { kind: "delivered" }
            : { kind: "failed", dueAt: wait === null ? null : at + wait, gone: posted.gone },
      });
      if (disabled !== null) {
        log.warn({ endpoint: endpointId, reason: disabled }, "a webhook endpoint was disabled");
        parts.signals.emit("lanesChanged");
        await failPendingDeliveries(parts, endpointId, disabled);
      }
      return dueAt;
    },
    pause: async () => {},
    resume: async () => {},
  };
}

function secretsOf({ sealer, clock, log }: PostParts, endpoint: WebhookEndpointsTable): string[] {
  const { id, secret, old_secret, old_secret_until } = endpoint;
  const sealed = [secret];
  if (old_secret !== null && clock.now() < (old_secret_until ?? 0)) sealed.push(old_secret);
  try {
    return sealed.map((text) => sealer.open(text, secretPlace(id)));
  } catch (error) {
    log.error({ endpoint: id, error }, "a webhook endpoint's secret does not open; nothing is posted to it");
    return [];
  }
}

async function post(
  { outbound, clock }: PostParts,
  { delivery, url, secrets }: Ready,
  signal: AbortSignal,
): Promise<PostResult> {
  const at = clock.now();
  const started = clock.monotonic();
  const seconds = Math.floor(at / 1000);
  const failed = (reason: string, answer: { status: number; text: string } | null, retryAfterMs = 0) => ({
    kind: "failed" as const,
    line: {
      at,
      ms: Math.round(clock.monotonic() - started),
      status: answer?.status ?? null,
      reason,
      answer: answer?.text ?? null,
    },
    gone: answer?.status === 410,
    retryAfterMs,
  });
  // Unsigned, a receiver could only refuse it, or worse, take it.
  if (secrets.length === 0) return failed("The endpoint's secret does not open: give it a new one.", null);
  const result: OutboundResult = await outbound.request({
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": "Trunkline",
      "webhook-id": delivery.id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": signatureHeader(secrets, delivery.id, seconds, delivery.body),
    },
    body: delivery.body,
    timeoutMs,
    maxBytes: maxAnswerBytes,
    truncate: true,
    signal,
  });
  if (result.kind !== "answer") return signal.aborted ? { kind: "stopped" } : failed(result.reason, null);
  const { status, headers, body } = result;
  const text = cleanText(body.toString("utf8"), [...secrets, ...privateParts(url)], shownAnswer);
  if (status >= 200 && status < 300) {
    const ms = Math.round(clock.monotonic() - started);
    return { kind: "delivered", line: { at, ms, status, reason: null, answer: text } };
  }
  const redirected = status >= 300 && status < 400;
  const asked = status === 429 || status === 503;
  return failed(
    redirected ? `It answered ${status}; redirects are not followed.` : `It answered ${status}.`,
    { status, text },
    asked ? (retryAfter(headers["retry-after"], at, maxRetryAfterMs).retryAfterMs ?? 0) : 0,
  );
}

/** What of a URL may be a key: many hooks have theirs in the path or the query, and some receivers echo them. */
function privateParts(text: string): string[] {
  const url = URL.parse(text);
  if (url === null) return [text];
  const { href, pathname, search, searchParams } = url;
  const parts = [...pathname.split("/"), ...searchParams.values()].filter((part) => part.length >= 8);
  return [href, ...(pathname.length + search.length > 1 ? [pathname + search] : []), ...parts];
}
