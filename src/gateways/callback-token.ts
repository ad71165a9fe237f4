// Callbacks of vendors that do not sign them are authenticated by a token, which the operator chooses and configures at the vendor. The
// vendor sends it in the URL (`?token=…`, or `https://any:token@…`, which arrives as Basic) or in an Authorization header.

import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { secret } from "#settings/secrets.ts";
import type { CallbackRequest, Received } from "./callback.ts";

/** The settings field. At least 16 characters: nothing else prevents forged events. */
export const callbackTokenField = secret()
  .min(16)
  .optional()
  .describe(
    "Authenticates the vendor's callbacks: in the callback URL as `?token=…`, as its Basic password or as a Bearer token. Without it callbacks are refused.",
  );

type TokenRefusal = Extract<Received, { kind: "forbidden" | "not_configured" }>;

/** Why a callback must not be read: the gateway has no token, or the callback does not present it. Null if it may be read. */
export function tokenRefusal(callback: CallbackRequest, token: string | undefined): TokenRefusal | null {
  if (token === undefined || token === "") {
    return { kind: "not_configured", reason: "The gateway has no callback token." };
  }
  return hasValidToken(callback, token)
    ? null
    : { kind: "forbidden", reason: "The token is missing or wrong." };
}

/** Whether a callback presents the token: exactly once in the query, as the password of any Basic user, or as a Bearer token. */
export function hasValidToken({ headers, query }: CallbackRequest, token: string): boolean {
  const tokens = query.getAll("token");
  const isInQuery = tokens.length === 1 && constantTimeEqual(tokens[0]!, token);
  const [, scheme = "", credentials = ""] =
    /^(basic|bearer) +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const inHeader = scheme.toLowerCase() === "basic" ? basicPassword(credentials) : credentials;
  return constantTimeEqual(inHeader, token) || isInQuery;
}

/** The part after the first colon (RFC 7617): a user name has none, a password may. */
function basicPassword(credentials: string): string {
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon < 0 ? "" : pair.slice(colon + 1);
}
