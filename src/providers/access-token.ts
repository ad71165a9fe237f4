// Reads the answer of a token endpoint (RFC 6749, 5.1 and 5.2). Source:
// developers.google.com/identity/protocols/oauth2/service-account#error-codes and
// learn.microsoft.com/entra/identity-platform/reference-error-codes

import { isObject } from "#contract/normalise.ts";
import { cleanText } from "#settings/redact.ts";
import { retryAfterMs } from "#settings/retry-after.ts";
import { scrub } from "./failure/scrub.ts";
import { vendorFailure } from "./failure/vendor-failure.ts";
import type { Failure } from "./provider.ts";
import { secretOf, type TokenGrant } from "./token-grant.ts";
import { parseJson, textOf } from "./translate/json.ts";

/** The assumed lifetime of a token if the answer does not state one. */
const defaultLifetimeS = 3600;
/** The longest lifetime that is accepted, and the maximum length of a token. */
const maxLifetimeS = 86_400;
const maxLength = 16_384;

/** The token in the answer; null if it has no token that fits in a header. */
export function tokenIn(text: string): { token: string; lifetimeMs: number } | null {
  const value = parseJson(text);
  if (!isObject(value)) return null;
  const token = textOf(value.access_token);
  if (token.length > maxLength || !/^[\w.~+/=-]+$/.test(token)) return null;
  const stated = Number(value.expires_in ?? defaultLifetimeS);
  const isUsable = Number.isFinite(stated) && stated > 0;
  const lifetimeS = isUsable ? Math.min(stated, maxLifetimeS) : defaultLifetimeS;
  return { token, lifetimeMs: lifetimeS * 1000 };
}

/** Temporary errors, with any status. */
const passing = /^(?:server_error|temporarily_unavailable|internal_failure)$/;
const maxDetailChars = 1_000;

/** The message for clients, who do not know about tokens. */
const limited = "The provider limits how often access to it is granted.";
const unavailable = "The provider's access tokens are not available.";

/**
 * The meaning of an answer without a token. A refused proof counts as a refused key. The endpoint's message is for the pool's owner,
 * without secrets. `now`: epoch ms.
 */
export function tokenFailure(
  grant: TokenGrant,
  { status, headers, text }: { status: number; headers: Readonly<Record<string, string>>; text: string },
  now: number,
): Failure {
  const value = parseJson(text);
  const { error, error_description: description } = isObject(value) ? value : {};
  const code = textOf(error);
  const words = [
    `${grant.issuer} granted no access token`,
    `it answered ${status}`,
    code,
    textOf(description),
  ];
  const line = words.filter((word) => word !== "").join(": ");
  const detail = scrub(cleanText(`${line.replace(/\.$/, "")}.`, [secretOf(grant)], maxDetailChars));
  if (status === 429) {
    const wait = retryAfterMs(headers, now);
    return { ...vendorFailure("rate_limited", status, limited, { retryAfterMs: wait }), detail };
  }
  const isLasting = status >= 400 && status < 500 && status !== 408 && status !== 425;
  if (isLasting && !passing.test(code)) return vendorFailure("unauthorized", 401, detail);
  return { ...vendorFailure("upstream_error", 502, unavailable, { code: "upstream_unreachable" }), detail };
}
