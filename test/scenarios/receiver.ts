// A receiver of webhooks for the stories: endpoints of the harness's account, and what they were posted.

import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { z } from "zod";
import { createWebhook, webhookInput } from "#configure/webhook.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import { findDelivery, listDeliveries } from "#store/webhooks/delivery-log.ts";
import { findEndpoint } from "#store/webhooks/endpoints.ts";
import type { Harness } from "../harness.ts";

export const hook = "https://receiver.test/hook";
export const secret = `whsec_${Buffer.alloc(24, 5).toString("base64")}`;

/** Makes an endpoint of the account, and lets it be opened. */
export async function listen(
  it: Harness,
  accountId: string,
  input: Partial<z.input<typeof webhookInput>> = {},
): Promise<string> {
  const asked = webhookInput.parse({ url: hook, secret, ...input });
  const result = await createWebhook(it.system.core, accountId, asked);
  assert.ok(result.kind === "saved", JSON.stringify(result));
  await it.settle();
  return result.id;
}

export const says = (status: number, body = "", headers: Record<string, string> = {}): OutboundResult => ({
  kind: "answer",
  status,
  headers,
  body: Buffer.from(body),
});

export interface Post {
  id: string;
  /** Epoch seconds. */
  seconds: number;
  /** How many signatures it carries. */
  signatures: number;
  type: string;
  timestamp: string;
  data: MessageRecord;
  /** The text as it came. */
  body: string;
}

/** What was posted to a url, in order; each must verify under every secret given. */
export function posts(it: Harness, url = hook, secrets: readonly string[] = [secret]): Post[] {
  return it.requests.filter((request) => request.url === url).map((request) => readPost(request, secrets));
}

export function readPost(request: OutboundRequest, secrets: readonly string[]): Post {
  const headers = request.headers ?? {};
  const id = headers["webhook-id"] ?? "";
  const seconds = Number(headers["webhook-timestamp"]);
  const signed = (headers["webhook-signature"] ?? "").split(" ");
  const body = String(request.body);
  for (const each of secrets) {
    // `verify` holds times against the real clock; the tests' has another time.
    assert.ok(signed.includes(new Webhook(each).sign(id, new Date(seconds * 1000), body)), "the signature");
  }
  assert.deepEqual(
    [request.method, headers["content-type"], headers["user-agent"], request.timeoutMs],
    ["POST", "application/json", "Trunkline", 15_000],
  );
  const content = JSON.parse(body) as Pick<Post, "type" | "timestamp" | "data">;
  assert.deepEqual(Object.keys(content), ["type", "timestamp", "data"]);
  return { id, seconds, signatures: signed.length, body, ...content };
}

export async function endpoint(it: Harness, id: string): Promise<WebhookEndpointsTable | null> {
  return await it.system.database.run(findEndpoint, id);
}

/** The endpoint's deliveries, oldest first. */
export async function deliveries(it: Harness, accountId: string, endpointId: string) {
  const asked = { accountId, endpointId, filter: {}, before: null, limit: 1000, maxScanned: 1000 };
  return (await it.system.database.run(listDeliveries, asked))?.rows.toReversed() ?? [];
}

/** The status, tries and reasons of one delivery. */
export async function delivery(it: Harness, accountId: string, endpointId: string, eventId: string) {
  const row = await it.system.database.run(findDelivery, { accountId, endpointId, eventId });
  assert.ok(row, eventId);
  const log = JSON.parse(row.log) as {
    at: number;
    status: number | null;
    reason: string | null;
    answer: string;
  }[];
  return { ...row, log };
}
