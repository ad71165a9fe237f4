// A gateway of the Cloud API as the tests configure it.

import type { CallbackRequest } from "#gateways/callback.ts";
import { type CloudSettings, cloudSettings } from "#gateways/whatsapp/cloud/settings.ts";
import type { Unsigned } from "../../conformance-callbacks.ts";
import { callbackUrl } from "../../conformance-samples.ts";
import { phoneNumberId, token } from "../graph-simulator.ts";
import { appSecret, signatureOf, verifyToken } from "../meta-callbacks.ts";

export const settings = {
  phone_number_id: phoneNumberId,
  access_token: token,
  app_secret: appSecret,
  verify_token: verifyToken,
};

export const parsedSettings = (change: object = {}): CloudSettings =>
  cloudSettings.parse({ ...settings, ...change });

/** A handshake has the verify token, and any other call a signature. */
export function sign({ method, query, contentType, body }: Unsigned): CallbackRequest {
  const proof: [string, string][] =
    method === "GET"
      ? [
          ["hub.mode", "subscribe"],
          ["hub.verify_token", verifyToken],
        ]
      : [];
  const parameters = new URLSearchParams([...proof, ...query]);
  return {
    method,
    url: parameters.size === 0 ? callbackUrl : `${callbackUrl}?${parameters}`,
    query: parameters,
    headers: { "content-type": contentType, "x-hub-signature-256": signatureOf(body) },
    body,
  };
}
