// The signature of Twilio's calls (https://www.twilio.com/docs/usage/webhooks/webhooks-security). It contains no time, so a
// replay passes: receipts have to be idempotent. It joins names and values without separators, so it must be verified over
// exactly the parameters that are then used.

import { createHash, createHmac } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";

/** Twilio sends about 30, of which up to 20 are media. A forged body full of parameters would take seconds to sort. */
const maxParameters = 500;

/**
 * The parameters that Twilio signed: of the form in the body, or of the query for a GET and for a body
 * that the URL binds by `bodySHA256`. Null if the signature does not match.
 */
export function verifiedParameters(callback: CallbackRequest, authToken: string): URLSearchParams | null {
  const header = callback.headers["x-twilio-signature"];
  if (header === undefined || authToken === "") return null;
  const bodyHash = callback.query.get("bodySHA256");
  const isForm = callback.method === "POST" && bodyHash === null;
  if (isForm && hasMore(callback.body, maxParameters)) return null;
  const form = new URLSearchParams(isForm ? callback.body.toString("utf8") : "");
  if (bodyHash !== null) {
    const actual = createHash("sha256").update(callback.body).digest("hex");
    if (!constantTimeEqual(bodyHash.toLowerCase(), actual)) return null;
  }
  const named = joined(form);
  const signedBy = (url: string) => constantTimeEqual(header, signature(authToken, url + named));
  if (!spellings(callback.url).some(signedBy)) return null;
  return isForm ? form : callback.query;
}

/** Whether a form may have more than `max` parameters, by its bytes alone. */
function hasMore(form: Buffer, max: number): boolean {
  let at = form.indexOf("&");
  for (let parameters = 1; at !== -1; at = form.indexOf("&", at + 1)) {
    parameters += 1;
    if (parameters > max) return true;
  }
  return false;
}

/** Names with their values, sorted by name. A repeated name contributes each of its different values once, sorted. */
function joined(form: URLSearchParams): string {
  const valuesOf = Map.groupBy(form, ([name]) => name);
  let text = "";
  for (const name of [...valuesOf.keys()].sort()) {
    const values = new Set(valuesOf.get(name)!.map(([, value]) => value));
    for (const value of [...values].sort()) text += name + value;
  }
  return text;
}

/** Base64 of HMAC-SHA1 over the URL and the joined parameters. */
function signature(authToken: string, text: string): string {
  return createHmac("sha1", authToken).update(text, "utf8").digest("base64");
}

/**
 * Twilio signs some URLs with the port and some without, even the default port. Its own libraries try both, and normalise
 * the URL first.
 */
function spellings(url: string): string[] {
  const normal = URL.canParse(url) ? new URL(url).toString() : url;
  return [...new Set([url, normal].flatMap(withAndWithoutPort))];
}

function withAndWithoutPort(url: string): string[] {
  const [, scheme = "", authority = "", rest = ""] =
    /^(https?):\/\/([^/?#]*)((?:[/?#].*)?)$/is.exec(url) ?? [];
  if (scheme === "") return [url];
  const host = authority.replace(/:\d+$/, "");
  const port = /:\d+$/.exec(authority)?.[0] ?? (scheme.toLowerCase() === "https" ? ":443" : ":80");
  return [`${scheme}://${host}${rest}`, `${scheme}://${host}${port}${rest}`];
}
