// Fetches the file of a message from the URL that the caller gave, under the guard of outbound requests.

import type { Outcome } from "#gateways/outcome.ts";
import type { Clock, Outbound } from "#runtime/runtime.ts";

const fetchMs = 30_000;
const maxRedirects = 3;
const redirects = [301, 302, 303, 307, 308];

interface FetchTools {
  outbound: Outbound;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * The bytes, or the outcome of a message whose file cannot be fetched. Each redirect is checked by the guard. Reasons name no address, so
 * that they reveal nothing about internal networks.
 */
export async function fetchMedia(
  url: string,
  maxBytes: number,
  { outbound, clock, signal }: FetchTools,
): Promise<Buffer | Outcome> {
  const until = clock.now() + fetchMs;
  let target = url;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const timeoutMs = until - clock.now();
    if (timeoutMs <= 0) return later("The file did not come within 30 s.");
    const result = await outbound.request({
      method: "GET",
      url: target,
      headers: { "user-agent": "Trunkline", accept: "*/*" },
      timeoutMs,
      // One byte more than allowed tells a file that is too long.
      maxBytes: maxBytes + 1,
      truncate: true,
      signal,
    });
    if (result.kind === "not_sent" && result.code === "url_not_allowed") return notAllowed();
    if (result.kind === "not_sent" && result.code === "aborted")
      return { kind: "deferred", code: "aborted", reason: "The file was not fetched: the gateway stops." };
    if (result.kind !== "answer") return later("The server of the file did not answer.");
    const { status, headers, body } = result;
    if (status === 200) {
      if (body.length > maxBytes)
        return fileRefused("media_too_large", `The file is longer than ${maxBytes} bytes.`);
      return body.length === 0 ? fileRefused("media_unreachable", "The file is empty.") : body;
    }
    if (!redirects.includes(status)) {
      const reason = `The server of the file answered ${status}.`;
      return status >= 500 || [408, 425, 429].includes(status)
        ? later(reason)
        : fileRefused("media_unreachable", reason);
    }
    const next = headers.location ? URL.parse(headers.location, target) : null;
    if (next === null)
      return fileRefused("media_unreachable", "The server of the file redirects to no address.");
    const isDowngrade = target.startsWith("https:") && next.protocol !== "https:";
    if (isDowngrade || next.username !== "" || next.password !== "") return notAllowed();
    target = next.href;
  }
  return fileRefused("media_unreachable", `The URL of the file redirects more than ${maxRedirects} times.`);
}

export const notAllowed = () => fileRefused("url_not_allowed", "The address of the file is not allowed.");

export const fileRefused = (code: string, reason: string): Outcome => ({ kind: "rejected", code, reason });

/** Nothing of the message has left, and the same file may come later. */
const later = (reason: string): Outcome => ({ kind: "deferred", code: "media_unreachable", reason });
