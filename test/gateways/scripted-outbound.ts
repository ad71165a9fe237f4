// Outbound HTTP for tests: answers from a script, and remembers what it was asked.

import type { Outbound, OutboundRequest, OutboundResult } from "#runtime/runtime.ts";

export interface ScriptedOutbound extends Outbound {
  requests: OutboundRequest[];
}

/** `script`: the answer to every request, or a function of the request. */
export function scriptedOutbound(
  script: OutboundResult | ((request: OutboundRequest) => OutboundResult),
): ScriptedOutbound {
  const requests: OutboundRequest[] = [];
  return {
    requests,
    async request(request) {
      requests.push(request);
      return typeof script === "function" ? script(request) : script;
    },
    rejectReason: () => null,
    dial: async () => ({ kind: "not_sent", code: "unreachable", reason: "nothing scripted" }),
    async close() {},
  };
}

/** A provider's answer. A body that is not text is sent as JSON. */
export function answer(
  status: number,
  body: unknown = "",
  headers: Record<string, string> = {},
): OutboundResult {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answer", status, headers, body: Buffer.from(text) };
}
