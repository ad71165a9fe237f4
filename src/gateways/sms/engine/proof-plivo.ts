// Plivo's signature of messaging callbacks, version 2. It covers the URL up to its path and a nonce, but neither the query nor the body:
// someone who saw one callback can write others. So the URL must contain a proof as well: that of its message, or the token.

import { createHmac } from "node:crypto";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { forbidden, messageUrl, notConfigured, type Proof, token } from "./proof.ts";

interface Account {
  auth_token: string;
  callback_token?: string | undefined;
}

export const plivoSignature: Proof<Account> = async (callback, settings, tools) => {
  if (settings.auth_token === "") return notConfigured("auth token");
  const nonce = callback.headers["x-plivo-signature-v2-nonce"];
  const url = callback.url.split("?", 1)[0];
  const expected = createHmac("sha256", settings.auth_token).update(`${url}${nonce}`).digest("base64");
  // The second one is the main account's, for callbacks of a subaccount.
  const signatures = ["x-plivo-signature-v2", "x-plivo-signature-ma-v2"].map(
    (name) => callback.headers[name] ?? "",
  );
  if (nonce === undefined || !signatures.some((signature) => constantTimeEqual(signature, expected)))
    return forbidden("The X-Plivo-Signature-V2 does not fit.");
  const proved = await messageUrl(callback, settings, tools);
  return proved.kind === "proved" ? proved : token(callback, settings, tools);
};
