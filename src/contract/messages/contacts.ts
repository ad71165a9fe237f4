// The `contact` list of a send, whatever its channel: which bodies have one, and how its items become drafts. A
// channel gives a quick way for the usual item without a fault, and a careful one for all others; the two must
// agree, which each channel's property test checks.

import type { Issue } from "#contract/issue.ts";
import { trimOrNull } from "#contract/normalise.ts";
import { type Check, sentences } from "#contract/wording.ts";
import type { TextField } from "./fields.ts";

/** A send body that was read: every contact, and every fault found without looking at the account. */
export interface Send<Draft> {
  contacts: Draft[];
  issues: Issue[];
}

/** What the contacts of every channel have. `undefined`: the field has an issue. */
export interface SharedDraft {
  gateway_identifier: string | null | undefined;
  schedule_at: string | null | undefined;
}

/** An object as JSON or a form gives it. */
export type Fields = Readonly<Record<string, unknown>>;

/** How the items of a channel are read. */
export interface ContactRules<Draft> {
  /** The contact of a usual item without a fault; null sends the item the careful way. */
  fastPath(fields: Fields): Draft | null;
  /** Each field as the rules see it. */
  normalise(fields: Fields): Record<keyof Draft, unknown>;
  /** The rules. */
  check: Check;
}

export interface ContactReader<Draft> {
  /**
   * Reads a send body in slices of `sliceSize` contacts: yields after each one, so that the caller can let
   * others run in between, and returns the whole. A body without a usable list gives no contacts and one
   * issue. An item that is no object counts as an empty one.
   */
  slices(
    body: unknown,
    limits: { maxContacts: number },
    sliceSize?: number,
  ): Generator<void, Send<Draft>, void>;
  /** Reads a send body at once. `body` is what its JSON or form said; it is not changed. */
  read(body: unknown, limits: { maxContacts: number }): Send<Draft>;
}

const contactPath = ["contact"];
const nothing: Fields = {};
const defaultSliceSize = 2_000;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `required` takes an empty list for nothing. */
export function asRequired(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? null : value;
}

/** Whether a normalised value is one that an optional field may have. */
export function fitsOptional(value: unknown, field: TextField): value is string | null {
  return value === null || (typeof value === "string" && field.fits(value));
}

/** The list of items in a body, or what is wrong with it as a whole. */
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
  /** The contact of any item, with its faults added to `issues`. */
  function careful(fields: Fields, index: number, issues: Issue[]): Draft {
    const contact = rules.normalise(fields);
    for (const issue of rules.check(contact, contactPath, index) ?? []) {
      issues.push(issue);
      contact[issue.path[2] as keyof Draft] = undefined;
    }
    // The checks change nothing, so what is left without the faulty fields is the draft.
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
      const fields = isObject(item) ? item : nothing;
      contacts.push(rules.fastPath(fields) ?? careful(fields, index, issues));
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
