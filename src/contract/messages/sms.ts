// The SMS send request: one definition gives the types, the OpenAPI schema and the checks. The rules that need the account
// (phone number, gateway, time zone) run later on the drafts made here. All issues of a request are reported together, so
// a request with issues still gives all of its contacts.

import { z } from "zod";
import { type Fields, trimmed, trimOrNull } from "#contract/normalise.ts";
import { checker } from "#contract/wording.ts";
import { asRequired, contactReader, fitsOptional, type Send, type SharedDraft } from "./contacts.ts";
import { gatewayIdentifier, number, scheduleAt, scheduleAtPattern, shortMessage } from "./fields.ts";
import { normalisedOwnWords, ownWordsShape, plainOwnWords } from "./own-words.ts";

/** A contact as it is checked: text trimmed, empty text null, an integer number as text. */
export const smsContact = z
  .object({
    number: number.schema.describe("The recipient's phone number.").meta({
      type: ["string", "integer"],
      examples: ["+4915123456789"],
    }),
    message: shortMessage.schema
      .describe("The text.")
      .meta({ maxLength: 65_536, examples: ["Your code is 4711."] }),
    gateway_identifier: gatewayIdentifier.schema
      .nullish()
      .describe("An active SMS gateway of the account. The default is the account's default gateway."),
    schedule_at: scheduleAt.schema
      .nullish()
      .describe("When to send the message: `Y-m-d H:i:s` in the account's time zone. The default is at once.")
      .meta({ examples: ["2030-01-31 09:00:00"], pattern: scheduleAtPattern }),
    ...ownWordsShape,
  })
  .meta({ id: "SmsContact" });

/** The body of `POST /api/sms/send`. */
export const smsSendRequest = z
  .object({ contact: z.array(smsContact).min(1).describe("One entry per message.") })
  .meta({ id: "SmsSendRequest" });

/** A contact of an SMS request after the rules that need no account. `undefined`: the field has an issue. */
export interface SmsDraft extends SharedDraft {
  number: string | undefined;
  message: string | undefined;
}

export type SmsSend = Send<SmsDraft>;

/** A safe integer becomes its digits; any other value is left to the rules. */
export function asNumber(value: unknown): unknown {
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : trimOrNull(value);
}

function plainContact(fields: Fields): SmsDraft | null {
  if (typeof fields.number !== "string" || typeof fields.message !== "string") return null;
  const to = trimmed(fields.number);
  const message = trimmed(fields.message);
  if (to === "" || message === "" || !number.fits(to) || !shortMessage.fits(message)) return null;
  const gateway = trimOrNull(fields.gateway_identifier);
  if (!fitsOptional(gateway, gatewayIdentifier)) return null;
  const at = trimOrNull(fields.schedule_at);
  if (!fitsOptional(at, scheduleAt)) return null;
  const own = plainOwnWords(fields);
  if (own === null) return null;
  const { reference, metadata } = own;
  return { number: to, message, gateway_identifier: gateway, schedule_at: at, reference, metadata };
}

export const { slices: readSmsSlices, read: readSms } = contactReader<SmsDraft>({
  fastPath: plainContact,
  normalise: (fields) => ({
    number: asRequired(asNumber(fields.number)),
    message: asRequired(trimOrNull(fields.message)),
    gateway_identifier: trimOrNull(fields.gateway_identifier),
    schedule_at: trimOrNull(fields.schedule_at),
    ...normalisedOwnWords(fields),
  }),
  check: checker(smsContact),
});
