// Sends a request to a vendor: signed, or with an access token if the member has a grant for one. The tokens live as long as the HTTP
// client that fetched them.

import type { Failure, VendorRequest } from "#providers/provider.ts";
import { sentRequest } from "#providers/sent-request.ts";
import type { StreamingClient, UpstreamRequest, UpstreamResult } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";
import { AccessTokens } from "./access-tokens.ts";

interface SendDeps {
  clock: Clock;
  upstreams: StreamingClient;
}

interface Way extends Pick<UpstreamRequest, "connectMs" | "headersMs" | "signal" | "fresh"> {
  /** Additional headers; those of the request override them. */
  extraHeaders?: Readonly<Record<string, string>> | null | undefined;
}

/**
 * `denied`: nothing was sent because the vendor granted no access token. `token`: the one that was sent; the vendor may repeat it in an
 * error.
 */
export type SendResult = (UpstreamResult & { token?: string }) | { kind: "denied"; failure: Failure };

const keepers = new WeakMap<StreamingClient, AccessTokens>();

function tokensOf(deps: SendDeps): AccessTokens {
  const known = keepers.get(deps.upstreams);
  if (known !== undefined) return known;
  const tokens = new AccessTokens(deps);
  keepers.set(deps.upstreams, tokens);
  return tokens;
}

/** Sends the request and waits for the head of the answer. The time to fetch a token counts towards `headersMs`. */
export function send(deps: SendDeps, request: VendorRequest, way: Way): Promise<SendResult> {
  return request.tokenGrant === undefined
    ? deps.upstreams.open(sendable(deps, request, way, way.headersMs))
    : sendWithToken(deps, request, request.tokenGrant, way);
}

function sendable(
  { clock }: SendDeps,
  request: VendorRequest,
  { extraHeaders, connectMs, signal, fresh = false }: Way,
  headersMs: number,
  token?: string,
): UpstreamRequest {
  const { headers, ...sent } = sentRequest(request, clock.now(), token);
  const all = extraHeaders ? { ...extraHeaders, ...headers } : headers;
  return { ...sent, headers: all, connectMs, headersMs, signal, fresh };
}

/** A request that the API refuses with a 401 is sent once more with a new token, unless the token was new. */
async function sendWithToken(
  deps: SendDeps,
  request: VendorRequest,
  grant: NonNullable<VendorRequest["tokenGrant"]>,
  way: Way,
): Promise<SendResult> {
  const { clock, upstreams } = deps;
  const tokens = tokensOf(deps);
  const limitAt = clock.monotonic() + way.headersMs;
  const leftMs = () => Math.max(1, limitAt - clock.monotonic());
  for (let isLast = false; ; isLast = true) {
    const got = await tokens.get(grant, leftMs(), way.signal);
    if (got.kind !== "token") return got;
    const result = await upstreams.open(sendable(deps, request, way, leftMs(), got.token));
    const sent = { ...result, token: got.token };
    if (result.kind !== "answer" || result.status !== 401) return sent;
    if (isLast || !tokens.refused(grant, got.token)) return sent;
    result.body.cancel();
  }
}
