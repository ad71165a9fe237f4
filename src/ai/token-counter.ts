// Counts the tokens of a request without serving it. It calls a member that counts for free; without one, or if it does not answer in time,
// the result is the estimate that limits are based on. None of this counts against a member's health.

import { promptTokens } from "#ai/limits/estimate.ts";
import { affinityOf } from "#ai/pools/affinity.ts";
import { eligibleMembers, order } from "#ai/pools/pool.ts";
import type { Opened } from "#ai/pools/pools.ts";
import { send } from "#ai/sending/send.ts";
import { collect, textOf } from "#ai/stream/collect.ts";
import { isObject } from "#contract/normalise.ts";
import { parseJson } from "#providers/translate/json.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { StreamingClient } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";
import type { ClientRequest } from "./complete.ts";

/** How long a member may take to count: people wait for it in front of a screen. */
const limitMs = 5_000;
/** Maximum number of concurrent count requests; beyond that, clients get estimates. */
const maxConcurrent = 256;
const maxAnswerBytes = 64 * 1024;

interface TokenCounter {
  /** The token count of a request; null if no member may serve its model. */
  count(opened: Opened, request: ClientRequest, signal: LightAbortSignal): Promise<number | null>;
}

export function createTokenCounter({
  clock,
  upstreams,
}: {
  clock: Clock;
  upstreams: StreamingClient;
}): TokenCounter {
  let underWay = 0;

  async function asked(
    { pool, key }: Opened,
    request: ClientRequest,
    signal: LightAbortSignal,
  ): Promise<number | "unknown_model" | null> {
    const { api, text, body, model } = request;
    const modelRequest = { model, poolName: pool.name, strict: pool.strict_models, allowed: key.models };
    const found = eligibleMembers(pool.members, modelRequest);
    if (found.kind === "unknown_model") return "unknown_model";
    // The first in order gives the count of the member that would serve the request; others count differently.
    const [choice] = order(found.choices, clock.monotonic(), () => 0, "stream", {
      affinity: affinityOf(pool, api, body),
    });
    if (choice === undefined || underWay >= maxConcurrent) return null;
    const { member, model: own } = choice;
    const settings = member.keys?.settingsFor(clock.monotonic()) ?? member.settings;
    const native = member.provider.native(api.format, settings, own);
    const prepared = native?.countTokens?.({
      text,
      body,
      model: own,
      stream: false,
      headers: api.headers,
    });
    if (!prepared) return null;
    const limitAt = clock.monotonic() + limitMs;
    const way = { connectMs: limitMs, headersMs: limitMs, signal };
    const opened = await send({ clock, upstreams }, prepared, way);
    if (opened.kind !== "answer") return null;
    const read = await collect(clock, opened.body, maxAnswerBytes, limitMs, limitAt);
    if (opened.status !== 200 || read.kind !== "bytes") return null;
    const value = parseJson(textOf(read.bytes));
    const counted = isObject(value) ? value.input_tokens : null;
    return typeof counted === "number" && Number.isSafeInteger(counted) && counted >= 0 ? counted : null;
  }

  return {
    count: async (opened, request, signal) => {
      underWay += 1;
      try {
        const counted = await asked(opened, request, signal);
        if (counted === "unknown_model") return null;
        return counted ?? promptTokens("chat", request.api.estimated);
      } finally {
        underWay -= 1;
      }
    },
  };
}
