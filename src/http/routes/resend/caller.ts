// Who asks: an API key of the account as a bearer token, as Resend's clients send it.

import type { Account } from "#accounts/account.ts";
import { isProblem, type Problem, refusals } from "#contract/problem.ts";
import { checkKey, hasScope } from "#http/auth/api-key.ts";
import { parseKey } from "#http/auth/api-key-text.ts";
import type { Call } from "#http/call.ts";
import { ResendRefusal } from "./errors.ts";

/** The account of the key, which has the right; Resend's error for any other key. */
export async function callerOf(call: Call, right: "send" | "read"): Promise<Account | Problem> {
  const { authorization = "" } = call.request.headers;
  const key = /^bearer /i.test(authorization) ? parseKey(authorization.slice("bearer ".length)) : null;
  if (key === null)
    throw new ResendRefusal("missing_api_key", "Send an API key: Authorization: Bearer tl_….", 401, {
      "WWW-Authenticate": 'Bearer realm="Trunkline"',
    });
  const account = await checkKey(call, {}, key);
  if (isProblem(account)) {
    if (account === refusals.invalid) throw new ResendRefusal("invalid_api_key", "The API key is not valid.");
    if (account === refusals.expired)
      throw new ResendRefusal("invalid_api_key", "The account's subscription has expired.");
    return account;
  }
  call.logged.account = account.id;
  call.share.markAuthenticated();
  const isAllowed =
    right === "send" ? hasScope(account, "send:email") : hasScope(account, "read", "read:own");
  if (!isAllowed)
    throw new ResendRefusal(
      "restricted_api_key",
      right === "send" ? "The API key may not send by email." : "The API key may not read messages.",
    );
  return account;
}
