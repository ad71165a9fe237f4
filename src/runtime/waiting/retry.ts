// How long to wait before something is tried again: one rule, with the numbers of each user beside the user.
//
// | what is tried again | first and longest wait | jitter | where |
// |---|---|---|---|
// | a message that was not sent | the gateway's `retry`: 5 s, 15 min | above first | `messaging/deliver/deliver` |
// | a message that a phone did not send | `retry` of the phone's first gateway | above first | `phones/phones` |
// | a delivery to a webhook | a table of seven waits, 5 s to 10 h | tenth | `webhooks/retry` |
// | a deferred completion | 15 s, 15 min | tenth | `ai/deferred/serve-deferred` |
// | the session of a gateway | 1 s, 60 s | half | `messaging/deliver/session` |
// | a linked device's connection | by how it ended; 60 s | half | `gateways/whatsapp/linked/reconnects` |
// | a bind of SMPP | two tables of waits | half | `gateways/sms/smpp/session` |
// | a batch of spans | 1 s, 5 s | half | `runtime/tracing/collector` |
// | a call of the storage | 500 ms, 10 s | none | `queue/retry-storage` |

export interface RetryRule {
  firstMs: number;
  maxMs: number;
}

/**
 * The jitter of a wait. `none`: none. `tenth`: 90 to 110 % of it. `half`: 50 to 100 %. `above_first`: anything from the first wait to twice
 * this one, but not above the longest.
 */
type Jitter = "none" | "tenth" | "half" | "above_first";

/**
 * How long to wait after attempt number `attempt` (from 1) failed, ms. The wait doubles with each attempt, up to `maxMs`.
 * `random` is in [0, 1).
 */
export function retryDelay(
  { firstMs, maxMs }: RetryRule,
  attempt: number,
  jitter: Jitter,
  random = 0,
): number {
  const delayMs = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  switch (jitter) {
    case "none":
      return delayMs;
    case "tenth":
      return Math.round(delayMs * (0.9 + 0.2 * random));
    case "half":
      return delayMs * (0.5 + random / 2);
    case "above_first":
      return Math.round(firstMs + random * Math.max(0, Math.min(maxMs, 2 * delayMs) - firstMs));
  }
}
