// URLs for a provider's reports about one message. Such a URL contains our id and a MAC of it with the key of its gateway, so that the
// provider needs no set-up, and a URL that leaks can settle only that message.

import type { CallbackRequest } from "#gateways/callback.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import type { Sealer } from "#store/seal.ts";

/** 128 bits: as many as an id has, in 22 characters of base64url. */
const macBytes = 16;

function macOf(sealer: Sealer, gatewayId: string, messageId: string): string {
  return sealer.mac("message url", `${gatewayId} ${messageId}`).subarray(0, macBytes).toString("base64url");
}

/** `callbackUrl`: of the gateway's callbacks. */
export function messageUrl(
  sealer: Sealer,
  gatewayId: string,
  callbackUrl: string | null,
  messageId: string,
): string | null {
  return callbackUrl && `${callbackUrl}?m=${messageId}&k=${macOf(sealer, gatewayId, messageId)}`;
}

/** The message that the URL of a callback was made for; null if `messageUrl` did not make it for this gateway. */
export function provenMessage(
  sealer: Sealer,
  gatewayId: string,
  { query }: Pick<CallbackRequest, "query">,
): string | null {
  const [ids, macs] = [query.getAll("m"), query.getAll("k")];
  const [id, mac] = [ids[0], macs[0]];
  if (id === undefined || mac === undefined || ids.length > 1 || macs.length > 1) return null;
  return constantTimeEqual(mac, macOf(sealer, gatewayId, id)) ? id : null;
}

/** The address of a received message's file. Without a public URL it is a path. */
export const receivedFileUrl = (publicUrl: string | null, messageId: string) =>
  `${publicUrl ?? ""}/api/whatsapp/media/${messageId}`;
