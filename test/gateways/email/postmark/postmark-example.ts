// A Postmark gateway, and its events as Postmark sends them: unsigned, with a token that we gave to it.

import type { CallbackRequest } from "#gateways/callback.ts";
import { callbackUrl } from "../../conformance-samples.ts";

export const serverToken = "11111111-2222-3333-4444-555555555555";
export const callbackToken = "callback-token-0123456789";
export const settings = {
  from: "news@example.com",
  from_name: "Example",
  server_token: serverToken,
  callback_token: callbackToken,
};
export const reference = "883953f4-6105-42a2-a16a-77a8eac79483";
export const at = Date.UTC(2026, 10, 20, 11, 28, 10, 273);

/** An event of the record type. Bounces have `BouncedAt`, and so on: the sample has one time under that name. */
export function event(recordType: string, timeName: string, more: object = {}): object {
  return {
    RecordType: recordType,
    MessageStream: "outbound",
    ServerID: 23,
    MessageID: reference,
    Recipient: "ada@example.com",
    Tag: "",
    // Seven digits, with the zone of the server.
    [timeName]: "2026-11-20T06:28:10.2735393-05:00",
    Metadata: { trunkline_message: "msg_01test" },
    ...more,
  };
}

export const bounce = (type: string, more: object = {}) =>
  event("Bounce", "BouncedAt", {
    ID: 901542550,
    Type: type,
    TypeCode: 1,
    Name: "Some bounce",
    Description: "The server was unable to deliver your message (ex: unknown user, mailbox not found).",
    Details: "smtp;550 5.1.1 The email account that you tried to reach does not exist.",
    Email: "ada@example.com",
    Inactive: false,
    ...more,
  });

export function called(payload: unknown): CallbackRequest {
  const query = new URLSearchParams({ token: callbackToken });
  return {
    method: "POST",
    url: `${callbackUrl}?${query}`,
    query,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(payload)),
  };
}
