// Callbacks of vendors that sign nothing: a token that we chose and that only the vendor was told. The vendor sends
// it in the URL (`?token=…`, or `https://any:token@…`, which arrives as Basic) or in an Authorization header.

import { type CallbackRequest, secret } from "#gateways/gateway.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";

/** The settings field. 16 characters at least: nothing else keeps forged events away. */
export const callbackTokenField = secret()
  .min(16)
  .optional()
  .describe(
    "What tells the vendor's callbacks from anybody else's: in the callback URL as `?token=…`, as its Basic password or as a Bearer token. Without it callbacks are refused.",
  );

/** Whether a callback brings the token: in the query exactly once, as the password of any Basic user, or as a Bearer token. */
export function hasValidToken({ headers, query }: CallbackRequest, token: string): boolean {
  const tokens = query.getAll("token");
  const inQuery = tokens.length === 1 && constantTimeEqual(tokens[0]!, token);
  const [, scheme = "", credentials = ""] =
    /^(basic|bearer) +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const given = scheme.toLowerCase() === "basic" ? basicPassword(credentials) : credentials;
  return constantTimeEqual(given, token) || inQuery;
}

/** Behind the first colon (RFC 7617): a user has none, a password may. */
function basicPassword(credentials: string): string {
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon < 0 ? "" : pair.slice(colon + 1);
}
