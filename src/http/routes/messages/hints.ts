// Hints about what a refused send, or one with ignored fields, probably meant. The sentences of `errors` are fixed by the contract, so the
// hints for a refused send are in `message`.

import type { Account } from "#accounts/account.ts";
import type { Channel } from "#contract/messages/channel.ts";
import { isObject } from "#contract/normalise.ts";
import { adviceOn } from "#messaging/accept/phone.ts";

/** The fields that a send endpoint knows, in the body and in its contacts. */
export interface KnownFields {
  body: ReadonlySet<string>;
  contact: ReadonlySet<string>;
}

/** The first faults of a 422 show a client what is wrong; a message that lists more is not read. */
const maxHints = 3;
/** The reply to an accepted send names every ignored field: one that it does not name would be assumed to be understood. */
const maxIgnored = 64;
const maxContactsRead = 20;
/** Text that is not a typical field name is not repeated: it may be a value in the wrong place. */
const fieldName = /^[A-Za-z_][\w-]{0,39}$/;

/** Other services' names for the same field. */
const meant: Readonly<Record<string, readonly string[]>> = {
  contact: ["contacts", "recipients", "messages", "to"],
  number: ["to", "phone", "phone_number", "recipient", "mobile", "msisdn", "destination"],
  email: ["to", "recipient", "email_address", "address"],
  message: ["body", "text", "content", "html", "msg"],
  schedule_at: ["scheduled_at", "send_at", "schedule", "scheduleAt", "sendAt"],
  gateway_identifier: ["gateway", "gateway_id"],
  reply_to_email: ["reply_to", "replyTo"],
};

/** Fields whose absence changes the time, the manner or the recipient of a message; named first. */
const important: readonly string[] = ["schedule_at", "gateway_identifier", "number", "email", "message"];

/** The known field that a name stands for: the same letters in another case or style, another service's name, or a typo. */
function meantField(name: string, known: ReadonlySet<string>): string | null {
  const lower = name.toLowerCase();
  const fields = [...known];
  return (
    fields.find((field) => field.toLowerCase() === lower) ??
    Object.keys(meant).find((field) => known.has(field) && meant[field]!.includes(name)) ??
    (name.length < 5 ? undefined : fields.find((field) => isSlip(lower, field))) ??
    null
  );
}

/** Whether one letter is missing, too many or another one, or two are exchanged. */
function isSlip(name: string, field: string): boolean {
  if (Math.abs(name.length - field.length) > 1) return false;
  let start = 0;
  while (start < name.length && name[start] === field[start]) start += 1;
  const rest = name.slice(start);
  const other = field.slice(start);
  return (
    rest.slice(1) === other.slice(1) ||
    rest.slice(1) === other ||
    rest === other.slice(1) ||
    (rest[0] === other[1] && rest[1] === other[0] && rest.slice(2) === other.slice(2))
  );
}

/** A sentence for each unknown field; those that resemble an important one come first. */
function unknownSentences(value: unknown, known: KnownFields): string[] {
  if (!isObject(value)) return [];
  const found = new Map<string, boolean>();
  const { contact } = value;
  const add = (name: string, fields: ReadonlySet<string>, where: string) => {
    const field = meantField(name, fields);
    const asked = field === null ? "" : `; the field is called ${field}`;
    found.set(`${name} is no field of ${where}${asked}.`, field !== null && important.includes(field));
  };
  // Fields that belong into each contact are misplaced next to a list of contacts.
  for (const name of unknownNames(value, known.body))
    if (Array.isArray(contact) && known.contact.has(name))
      found.set(`${name} is no field of a send; it is one of each contact.`, important.includes(name));
    else add(name, known.body, "a send");
  if (Array.isArray(contact))
    for (const each of contact.slice(0, maxContactsRead))
      for (const name of unknownNames(each, known.contact)) add(name, known.contact, "a contact");
  const sentences = [...found.keys()];
  return [
    ...sentences.filter((sentence) => found.get(sentence)),
    ...sentences.filter((sentence) => !found.get(sentence)),
  ];
}

/** A sentence for each field of an accepted send that was ignored, at most 64, and the number of further ones. */
export function ignoredFields(value: unknown, known: KnownFields): string[] {
  const sentences = unknownSentences(value, known);
  const more = sentences.length - maxIgnored;
  return more <= 0 ? sentences : [...sentences.slice(0, maxIgnored), `And ${more} more.`];
}

function unknownNames(value: unknown, known: ReadonlySet<string>): string[] {
  if (!isObject(value)) return [];
  const names = Object.keys(value).slice(0, 100);
  return names.filter((name) => !known.has(name) && fieldName.test(name));
}

const written = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const iso = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/;

function aboutField(
  field: string,
  entered: unknown,
  { account, channel }: { account: Account; channel: Channel },
): string | null {
  if (typeof entered !== "string" && typeof entered !== "number") return null;
  const text = String(entered).trim();
  if (field === "schedule_at") {
    if (written.test(text)) return `${text} is not on the calendar.`;
    return iso.test(text)
      ? `schedule_at is a local time of the account (${account.timeZone}) without a zone, such as 2030-01-31 09:00:00.`
      : null;
  }
  if (field === "number") return adviceOn(text, account.country) || null;
  if (field !== "gateway_identifier" || typeof entered !== "string") return null;
  const named = account.gateways.find(({ identifier }) => identifier === text);
  if (named === undefined)
    return account.gatewayIds === undefined
      ? "The account has no gateway of that name."
      : "This API key has no gateway of that name.";
  if (named.channel !== channel) return `Gateway ${named.identifier} sends ${named.channel}.`;
  return named.active || named.isDraining ? null : `Gateway ${named.identifier} is switched off.`;
}

/** The value that an error's path (`contact.0.number`) leads to. */
function valueAt(value: unknown, index: number, field: string): unknown {
  const contact = isObject(value) && Array.isArray(value.contact) ? value.contact[index] : undefined;
  return isObject(contact) ? contact[field] : undefined;
}

/** The hints about a send that was refused with these errors, at most three. `value`: its body. */
export function sendHints(
  errors: Readonly<Record<string, readonly string[]>>,
  value: unknown,
  { known, ...of }: { known: KnownFields; account: Account; channel: Channel },
): string[] {
  const hints = new Set<string>();
  for (const path of Object.keys(errors).slice(0, maxContactsRead)) {
    const [head, index, field = "", ...more] = path.split(".");
    if (head !== "contact" || more.length > 0) continue;
    const hint = aboutField(field, valueAt(value, Number(index), field), of);
    if (hint !== null) hints.add(hint);
  }
  for (const hint of unknownSentences(value, known)) hints.add(hint);
  return [...hints].slice(0, maxHints);
}
