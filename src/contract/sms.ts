// The SMS send request: one definition gives the types, the OpenAPI schema and the checks. The rules that
// need the account (phone number, gateway, time zone) run later, on the drafts made here, so that all faults
// of a request are told together; that is why a faulty request still gives every contact.

import { z } from "zod";
import { gatewayIdentifier, number, scheduleAt, shortMessage } from "./fields.ts";
import type { Issue } from "./issue.ts";
import { normalised, trimmed } from "./normalise.ts";
import { checker, say } from "./wording.ts";

/** A contact as it is checked: text trimmed, empty text null, an integer number as text. */
export const smsContact = z.object({
  number: number.schema.describe("The recipient's phone number.").meta({
    type: ["string", "integer"],
    examples: ["+4915123456789"],
  }),
  message: shortMessage.schema
    .describe("The text.")
    .meta({ maxLength: 65_536, examples: ["Your code is 4711."] }),
  gateway_identifier: gatewayIdentifier.schema
    .nullish()
    .describe("An active SMS gateway of the account; without it, the default one is used."),
  schedule_at: scheduleAt.schema
    .nullish()
    .describe("When to send it: `Y-m-d H:i:s` in the account's time zone; without it, at once.")
    .meta({ examples: ["2030-01-31 09:00:00"] }),
});

/** The body of a send. */
export const smsSendRequest = z.object({
  contact: z.array(smsContact).min(1).describe("One entry per message."),
});

/** One contact of an SMS request after its own rules ran. `undefined`: the field has an issue. */
export interface SmsDraft {
  number: string | undefined;
  message: string | undefined;
  gateway_identifier: string | null | undefined;
  schedule_at: string | null | undefined;
}

/** A send body that was read: every contact, and every fault found without looking at the account. */
export interface SmsSend {
  contacts: SmsDraft[];
  issues: Issue[];
}

type Field = keyof SmsDraft;

const checkContact = checker(smsContact);
const contactPath = ["contact"];
const nothing: Record<string, unknown> = {};

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A safe integer stands for its digits; any other value is left for the rules. */
function asNumber(value: unknown): unknown {
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : normalised(value);
}

/** `required` takes an empty list for nothing. */
function asRequired(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? null : value;
}

/**
 * The contact of a usual item without a fault; null sends the item the careful way. Must agree with it:
 * a property test compares the two.
 */
function plainContact(fields: Record<string, unknown>): SmsDraft | null {
  if (typeof fields.number !== "string" || typeof fields.message !== "string") return null;
  const to = trimmed(fields.number);
  const message = trimmed(fields.message);
  if (to === "" || message === "" || !number.fits(to) || !shortMessage.fits(message)) return null;
  const gateway = normalised(fields.gateway_identifier);
  if (gateway !== null && (typeof gateway !== "string" || !gatewayIdentifier.fits(gateway))) return null;
  const at = normalised(fields.schedule_at);
  if (at !== null && (typeof at !== "string" || !scheduleAt.fits(at))) return null;
  return { number: to, message, gateway_identifier: gateway, schedule_at: at };
}

/** The contact of any item, with its faults added to `issues`. */
function carefulContact(fields: Record<string, unknown>, index: number, issues: Issue[]): SmsDraft {
  const contact: Record<Field, unknown> = {
    number: asRequired(asNumber(fields.number)),
    message: asRequired(normalised(fields.message)),
    gateway_identifier: normalised(fields.gateway_identifier),
    schedule_at: normalised(fields.schedule_at),
  };
  for (const issue of checkContact(contact, contactPath, index) ?? []) {
    issues.push(issue);
    contact[issue.path[2] as Field] = undefined;
  }
  // The checks change nothing, so what is left without the faulty fields is the draft.
  return contact as SmsDraft;
}

/** The list of items in a body, or what is wrong with it as a whole. */
function itemsOf(body: unknown, maxContacts: number): unknown[] | Issue {
  const path = contactPath;
  const contact = asRequired(normalised(isMap(body) ? body.contact : null));
  if (contact === null) return { path, message: say.required(path) };
  if (!Array.isArray(contact)) return { path, message: say.array(path) };
  if (contact.length > maxContacts) return { path, message: say.atMostItems(path, maxContacts) };
  return contact;
}

/**
 * Reads a send body in slices of `sliceSize` contacts: yields after each one, so that the caller can let
 * others run in between, and returns the whole. A body without a usable list gives no contacts and one
 * issue. An item that is no object counts as an empty one.
 */
export function* readSmsSlices(
  body: unknown,
  limits: { maxContacts: number },
  sliceSize = 2_000,
): Generator<void, SmsSend, void> {
  const items = itemsOf(body, limits.maxContacts);
  if (!Array.isArray(items)) return { contacts: [], issues: [items] };
  const contacts: SmsDraft[] = [];
  const issues: Issue[] = [];
  for (let index = 0; index < items.length; index++) {
    if (index > 0 && index % sliceSize === 0) yield;
    const item: unknown = items[index];
    const fields = isMap(item) ? item : nothing;
    contacts.push(plainContact(fields) ?? carefulContact(fields, index, issues));
  }
  return { contacts, issues };
}

/** Reads a send body at once. `body` is what its JSON or form said; it is not changed. */
export function readSms(body: unknown, limits: { maxContacts: number }): SmsSend {
  const slices = readSmsSlices(body, limits, Number.POSITIVE_INFINITY);
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}
