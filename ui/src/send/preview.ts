// Summarises the service's preview of a send in a few sentences.

import type { PreviewedContact } from "#ui/api/schema.ts";
import { faultHere } from "#ui/words/faults.ts";

/** Recipients with the same result. */
export interface Fate {
  kind: "sent" | "waits" | "suppressed" | "refused";
  /** The gateway; null if it is not sent. */
  gateway: string | null;
  state: PreviewedContact["gateway_state"];
  /** When it is sent; null for now or never. */
  due_at: string | null;
  moved: PreviewedContact["moved"];
  suppressed: PreviewedContact["suppressed"];
  /** The fields of the contact that are refused. */
  fields: string[];
  /** The service's message about the first of these recipients. */
  faults: string[];
  /** Their indices in the request. */
  places: number[];
}

const none = { gateway: null, state: null, due_at: null, moved: null, suppressed: null, fields: [] };

/** `contact.3.sections.0.title` is the field `sections.0.title` of every contact. */
const fieldOf = (path: string): string => path.split(".").slice(2).join(".");

function fateOf(contact: PreviewedContact, isScheduled: boolean): Omit<Fate, "places" | "faults"> {
  const { gateway, gateway_state: state, due_at, moved, suppressed, faults } = contact;
  if (faults.length > 0) return { ...none, kind: "refused", fields: faults.map(({ path }) => fieldOf(path)) };
  if (suppressed !== null) return { ...none, kind: "suppressed", suppressed };
  // All contacts of one send are accepted at the same instant: a time is mentioned only if one was requested, or because of sending hours.
  const isLater = moved === "hours" || (isScheduled && moved !== "past");
  return {
    ...none,
    kind: state === "active" ? "sent" : "waits",
    gateway,
    state,
    due_at: isLater ? due_at : null,
    moved,
  };
}

/** The contacts grouped by their result, in the order in which each is first seen. */
export function fatesOf(contacts: readonly PreviewedContact[], isScheduled: boolean): Fate[] {
  const fates = new Map<string, Fate>();
  for (const [at, contact] of contacts.entries()) {
    const fate = fateOf(contact, isScheduled);
    const key = JSON.stringify(fate);
    const known = fates.get(key);
    const faults = contact.faults.map(({ path, message }) => faultHere(message, `The ${fieldOf(path)}`));
    if (known === undefined) fates.set(key, { ...fate, faults, places: [at] });
    else known.places.push(at);
  }
  return [...fates.values()];
}
