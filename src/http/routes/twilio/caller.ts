// Who asks: HTTP Basic, as Twilio's clients send it. The password is an API key of the account; the user name may be any text, since the key
// alone names the account. Twilio's packages want one that begins with `AC`, and put it into the path too.

import type { Account } from "#accounts/account.ts";
import { isProblem, type Problem, refusals } from "#contract/problem.ts";
import { checkKey } from "#http/auth/api-key.ts";
import { parseKey } from "#http/auth/api-key-text.ts";
import type { Call } from "#http/call.ts";
import { TwilioRefusal } from "./errors.ts";

export interface TwilioCaller {
  account: Account;
  /** The API key, which signs the status callbacks. */
  key: string;
  /** The account's SID as the path has it. Answers repeat it. */
  accountSid: string;
}

/** The password of Basic credentials; null without them. */
function passwordOf(authorization: string | undefined): string | null {
  const encoded = /^basic +([A-Za-z0-9+/]{1,2000}={0,2}) *$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? null : text.slice(colon + 1);
}

/** The caller, of whom only the key is known to be right: scopes are checked when the channel is known. */
export async function callerOf(call: Call): Promise<TwilioCaller | Problem> {
  const key = parseKey(passwordOf(call.request.headers.authorization));
  if (typeof key !== "string")
    throw new TwilioRefusal("authenticate", "Send HTTP Basic: any user name, and an API key as password.");
  const account = await checkKey(call, {}, key);
  if (isProblem(account)) {
    if (account === refusals.invalid) throw new TwilioRefusal("authenticate", "The API key is not valid.");
    if (account === refusals.expired)
      throw new TwilioRefusal("notActive", "The account's subscription has expired.");
    return account;
  }
  call.logged.account = account.id;
  call.share.markAuthenticated();
  const accountSid = call.params.account ?? "";
  if (!/^[\w.-]{1,64}$/.test(accountSid)) throw new TwilioRefusal("notFound", "There is no such account.");
  return { account, key, accountSid };
}
