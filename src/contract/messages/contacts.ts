// Reads the `contact` list of a send of any channel into drafts. A channel has a fast path for ordinary items without
// issues, and a complete check for all others. Both must give the same drafts, which each channel's property test checks.

import type { Issue } from "#contract/issue.ts";
import { type Fields, isObject, trimOrNull } from "#contract/normalise.ts";
import { type Check, sentences } from "#contract/wording.ts";
import type { TextField } from "./fields.ts";
import type { OwnWords } from "./own-words.ts";

/** A send body that was read: all contacts, and all issues that do not need the account. */
export interface Send<Draft> {
  contacts: Draft[];
  issues: Issue[];
  /** Some of the files are images within the mail. */
  hasInlineImages?: boolean;
}

/** The fields that contacts of every channel have. `undefined`: the field has an issue. */
export interface SharedDraft extends OwnWords {
  gateway_identifier: string | null | undefined;
  schedule_at: string | null | undefined;
}

/** An object from JSON or a form. */

/** How the contacts of a channel are read. */
interface ContactRules<Draft> {
  /** The draft of an ordinary item without issues; null if the item needs the complete check. */
  fastPath(fields: Fields): Draft | null;
  /** Each field in the form that the rules expect. */
  normalise(fields: Fields): Record<keyof Draft, unknown>;
  /** Checks the contacts of one request. */
  check: Check;
}

interface ContactReader<Draft> {
  /**
   * Reads a send body and yields after every `sliceSize` contacts, so that the caller can let other work run. A body
   * without a usable list gives no contacts and one issue. An item that is not an object counts as an empty one.
   */
  slices(
    body: unknown,
    limits: { maxContacts: number },
    sliceSize?: number,
  ): Generator<void, Send<Draft>, void>;
  /** Reads a send body without yielding. `body`: parsed from JSON or a form; it is not changed. */
  read(body: unknown, limits: { maxContacts: number }): Send<Draft>;
}

const contactPath = ["contact"];
const noFields: Fields = {};
const defaultSliceSize = 2_000;

/** For the rule `required`, an empty list counts as missing. */
export function asRequired(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? null : value;
}

/** Whether a normalised value is valid for an optional field. */
export function fitsOptional(value: unknown, field: TextField): value is string | null {
  return value === null || (typeof value === "string" && field.fits(value));
}

/** The list of items in a body, or the issue of the list as a whole. */
function itemsOf(body: unknown, maxContacts: number): unknown[] | Issue {
  const path = contactPath;
  const contact = asRequired(trimOrNull(isObject(body) ? body.contact : null));
  if (contact === null) return { path, message: sentences.required(path) };
  if (!Array.isArray(contact)) return { path, message: sentences.array(path) };
  if (contact.length > maxContacts) return { path, message: sentences.atMostItems(path, maxContacts) };
  return contact;
}

/** The reader of a channel's sends. */
export function contactReader<Draft extends object>(rules: ContactRules<Draft>): ContactReader<Draft> {
  /** The draft of any item; its issues are added to `issues`. */
  function checkedContact(fields: Fields, index: number, issues: Issue[]): Draft {
    const contact = rules.normalise(fields);
    for (const issue of rules.check(contact, contactPath, index) ?? []) {
      issues.push(issue);
      contact[issue.path[2] as keyof Draft] = undefined;
    }
    // The checks change nothing, so the fields without issues are the draft.
    return contact as Draft;
  }

  function* slices(
    body: unknown,
    limits: { maxContacts: number },
    sliceSize = defaultSliceSize,
  ): Generator<void, Send<Draft>, void> {
    const items = itemsOf(body, limits.maxContacts);
    if (!Array.isArray(items)) return { contacts: [], issues: [items] };
    const contacts: Draft[] = [];
    const issues: Issue[] = [];
    for (let index = 0; index < items.length; index++) {
      if (index > 0 && index % sliceSize === 0) yield;
      const item: unknown = items[index];
      const fields = isObject(item) ? item : noFields;
      contacts.push(rules.fastPath(fields) ?? checkedContact(fields, index, issues));
    }
    return { contacts, issues };
  }

  function read(body: unknown, limits: { maxContacts: number }): Send<Draft> {
    const all = slices(body, limits, Number.POSITIVE_INFINITY);
    for (;;) {
      const slice = all.next();
      if (slice.done) return slice.value;
    }
  }

  return { slices, read };
}
