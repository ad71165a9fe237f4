// What is posted to the `StatusCallback` of a message that was sent through Twilio's API: the form that Twilio posts
// (https://www.twilio.com/docs/messaging/guides/outbound-message-status-in-status-callbacks), made from the event, and its signature
// (https://www.twilio.com/docs/usage/security#validating-requests).

import { createHmac } from "node:crypto";
import type { MessageEventData } from "#contract/events/shapes.ts";
import { addressOf } from "#contract/twilio/addresses.ts";
import { sidOf } from "#contract/twilio/sids.ts";
import { twilioErrorCode, twilioStatuses } from "#contract/twilio/statuses.ts";
import type { Sealer } from "#store/seal.ts";
import type { PendingDelivery } from "#store/webhooks/deliveries.ts";
import { statusCallbackContext } from "#store/webhooks/status-callbacks.ts";
import type { EndpointRequest } from "./endpoint-request.ts";

/** The version in the paths of the API. */
export const twilioVersion = "2010-04-01";

/** Where the statuses of a message are posted, and what only its request knew. Stored sealed: the URL may contain a key, and this has one. */
export interface StatusCallback {
  url: string;
  /** Signs what is posted: `signingToken` of the API key that sent the message. */
  token: string;
  /** The account's SID in the path of the request. */
  accountSid: string;
  /** The sender as the request named it; null if it named none. */
  from: string | null;
}

/**
 * The `AuthToken` with which a receiver checks callbacks of messages that were sent with an API key, 32 hexadecimal digits. It is derived
 * from the key, because only the key's hash is stored; it does not reveal the key, and sends nothing.
 */
export const signingToken = (apiKey: string): string =>
  createHmac("sha256", apiKey).update("twilio status callback").digest("hex").slice(0, 32);

/** The value of `X-Twilio-Signature`: over the URL and, in the order of their names, the name and value of each parameter. */
function twilioSignature(token: string, url: string, parameters: Readonly<Record<string, string>>): string {
  const text = Object.keys(parameters)
    .sort()
    .reduce((before, name) => before + name + parameters[name], url);
  return createHmac("sha1", token).update(text).digest("base64");
}

/** The URL as it is requested, which is what a receiver sees and signs: without a fragment. */
function requestedUrl(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return url.href;
}

function parametersOf(data: MessageEventData, callback: StatusCallback): Record<string, string> {
  if (data.channel === "email") throw new Error("An email has no status callback.");
  const sid = sidOf("SM", data.id);
  const status = twilioStatuses[data.status];
  const code = twilioErrorCode(data.status, data.error?.code ?? null);
  const sender = callback.from ?? addressOf(data.channel, data.gateway_identifier ?? "");
  return {
    AccountSid: callback.accountSid,
    ApiVersion: twilioVersion,
    From: sender,
    MessageSid: sid,
    MessageStatus: status,
    SmsSid: sid,
    SmsStatus: status,
    To: addressOf(data.channel, data.recipient),
    ...(data.channel === "whatsapp" ? { ChannelPrefix: "whatsapp" } : {}),
    ...(code === null ? {} : { ErrorCode: String(code), ErrorMessage: data.error?.message ?? "" }),
  };
}

/** Makes the requests of an endpoint that posts status callbacks: each goes to the URL of its message. */
export function twilioRequests(sealer: Sealer): (delivery: PendingDelivery) => EndpointRequest | string {
  return ({ id, body, statusCallback }) => {
    const { data } = JSON.parse(body) as { data: MessageEventData };
    if (statusCallback === null) return "The message is no longer kept, and with it its StatusCallback.";
    let callback: StatusCallback;
    try {
      callback = JSON.parse(sealer.unseal(statusCallback, statusCallbackContext(data.id)));
    } catch {
      return "The StatusCallback of the message does not open.";
    }
    const url = requestedUrl(callback.url);
    const parameters = parametersOf(data, callback);
    const headers = {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      "x-twilio-signature": twilioSignature(callback.token, url, parameters),
      // Twilio's own name for what stays the same when a request is repeated.
      "i-twilio-idempotency-token": id,
    };
    return { url, headers, body: new URLSearchParams(parameters).toString(), secrets: [callback.token] };
  };
}
