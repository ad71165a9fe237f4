// A provider for the stories: an `http-api` gateway's settings, and a counterpart that answers it, remembers
// what it took and reports back.

import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import type { Harness } from "../harness.ts";
import { type Injected, inject } from "../inject.ts";

export const callbackToken = "a-callback-token";

/** Settings of a gateway that speaks to this provider. */
export const providerSettings = {
  url: "https://provider.test/send",
  headers: { authorization: "Bearer provider-key" },
  body: { to: "{{to}}", text: "{{message}}", ref: "{{id}}" },
  success: { reference: "$.id" },
  callback: {
    token: callbackToken,
    reference: "$.id",
    id: "$.ref",
    status: "$.state",
    sent: ["ACCEPTD"],
    delivered: ["DELIVRD"],
    undelivered: ["UNDELIV"],
    failed: ["REJECTD"],
    error: "$.err",
  },
};

/** A gateway of the http-api kind for `harness.gateway`. */
export const provider = { kind: "http-api", default: true, settings: providerSettings };

export interface Took {
  id: string;
  to: string;
  text: string;
}

/** What a request to the provider says. */
export function readRequest(request: OutboundRequest): Took {
  const { to, text, ref } = JSON.parse(String(request.body)) as { to: string; text: string; ref: string };
  return { id: ref, to, text };
}

export function answer(
  status: number,
  body: object = {},
  headers: Record<string, string> = {},
): OutboundResult {
  return { kind: "answer", status, headers, body: Buffer.from(JSON.stringify(body)) };
}

export const noAnswer: OutboundResult = { kind: "no_answer", reason: "The connection broke." };
export const unreachable: OutboundResult = {
  kind: "not_sent",
  code: "unreachable",
  reason: "No server listens there.",
};

/** Takes the message: the provider's own id of it is `p-` and ours. */
export const takes = (request: OutboundRequest) => answer(200, { id: `p-${readRequest(request).id}` });

/** A delivery report. */
export function report(it: Harness, gateway: string, body: object, token = callbackToken): Promise<Injected> {
  return inject(it.system.app, {
    method: "POST",
    url: `/callbacks/${gateway}?token=${token}`,
    payload: body,
  });
}

/** What the provider was asked, in order. */
export const asked = (it: Harness) => it.requests.map(readRequest);

/** The types of a message's timeline. */
export async function story(it: Harness, id: string): Promise<string[]> {
  return (await it.message(id)).events?.map((event) => event.type) ?? [];
}

/** How many messages the account has, by lookup. */
export async function stored(it: Harness): Promise<number> {
  return (await it.get("/api/get/sms?limit=200")).json().data.length;
}
