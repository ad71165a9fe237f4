// Proofs that a callback comes from the vendor. Each compares in constant time, and never accepts an unset secret.

import type { CallbackRequest, Received } from "#gateways/callback.ts";
import { tokenRefusal } from "#gateways/callback-token.ts";
import type { CallbackTools } from "#gateways/connection.ts";
import type { Json } from "#gateways/json-path.ts";

/**
 * What a proof covers, and therefore what is read. `call`: the whole call, since it carries one of our secrets or a signature covers URL
 * and body. `body`: only the body, so that the query is never read, for any method.
 */
export type Coverage = "call" | "body";

/**
 * - `proved`: the callback may be read, as far as the proof covers it. `messageId`: only about this message. `document`: what
 *   is proved, where that is neither
 * - `answered`: there is nothing to read, and this is the answer
 */
type VerifiedCallback =
  | { kind: "proved"; covers: Coverage; messageId?: string }
  | { kind: "proved"; document: Json }
  | { kind: "answered"; received: Received }
  | { kind: "forbidden" | "not_configured" | "unavailable"; reason: string };

export type Proof<Settings> = (
  callback: CallbackRequest,
  settings: Settings,
  tools: CallbackTools,
) => VerifiedCallback | Promise<VerifiedCallback>;

/** A text of the settings; undefined or empty if not set. */
export type Secret<Settings> = (settings: Settings) => string | undefined;

export const forbidden = (reason: string): VerifiedCallback => ({ kind: "forbidden", reason });
export const notConfigured = (what: string): VerifiedCallback => ({
  kind: "not_configured",
  reason: `The gateway has no ${what}.`,
});

/** The URL was made by us for one message (`GatewayHost.messageUrl`). */
export const messageUrl: Proof<unknown> = (callback, _settings, tools) => {
  const messageId = tools.provenMessage(callback);
  return messageId === null
    ? forbidden("The URL is not one that was made for a message.")
    : { kind: "proved", covers: "call", messageId };
};

/**
 * A signature of the body. If the call also came to the URL of a message, it is about that message, even if its reference was lost with the
 * answer.
 */
export const atMessageUrl =
  <Settings>(signature: Proof<Settings>): Proof<Settings> =>
  async (callback, settings, tools) => {
    const proved = await signature(callback, settings, tools);
    if (proved.kind !== "proved" || "document" in proved) return proved;
    const messageId = tools.provenMessage(callback);
    return messageId === null ? proved : { ...proved, messageId };
  };

/** The `callback_token` of the settings, in the query, as a Basic password or as a Bearer token. */
export const token: Proof<{ callback_token?: string | undefined }> = (callback, { callback_token }) =>
  tokenRefusal(callback, callback_token) ?? { kind: "proved", covers: "call" };

/** For vendors that do not sign: reports come to the URL of their message, everything else presents the token. */
export const tokenProofs = [messageUrl, token] as const;
