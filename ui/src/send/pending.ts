// The send that a person is composing, with its Idempotency-Key. The tab keeps both until it is accepted: a second click, a reload or a
// repetition after a lost answer is the same request under the same key, so the service sends it once. A tab keeps several of them,
// each under its own name, for the person who wrote it, and drops all of them when that person signs out.

import { type Draft, emptyDraft } from "./draft.ts";

interface Pending {
  key: string;
  /** The filter of the address with which the page was opened: another one begins another send. */
  from: string;
  draft: Draft;
}

const kept = "draft ";

/** The name of what a person composes. `of`: the ids of the person and of the account, and what else it is for. */
export const pendingName = (of: { person: string; account: string; for: string }): string =>
  kept + JSON.stringify([of.person, of.account, of.for]);

/** A new send, beginning with what the page's address says. */
export function newPending(search: Readonly<Record<string, string | undefined>>): Pending {
  const { channel, to, gateway } = search;
  return {
    key: crypto.randomUUID(),
    from: JSON.stringify([channel, to, gateway]),
    draft: {
      ...emptyDraft,
      ...(channel === "sms" || channel === "whatsapp" || channel === "email" ? { channel } : {}),
      ...(to === undefined ? {} : { recipients: to }),
      ...(gateway === undefined ? {} : { gateway }),
    },
  };
}

/** What the tab was composing under this name, or a new send. */
export function openPending(name: string, search: Readonly<Record<string, string | undefined>>): Pending {
  const fresh = newPending(search);
  try {
    const stored = JSON.parse(sessionStorage.getItem(name) ?? "null") as Pending | null;
    if (stored?.from !== fresh.from || typeof stored.key !== "string") return fresh;
    // A draft of an earlier version may lack fields.
    return { ...stored, draft: { ...emptyDraft, ...stored.draft } };
  } catch {
    return fresh;
  }
}

export function keepPending(name: string, pending: Pending): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(pending));
  } catch {
    // Longer than a browser stores: a reload begins anew then, and asks before it loses the text.
  }
}

export const forgetPending = (name: string): void => sessionStorage.removeItem(name);

/** What was composed in this tab is for no other person to read. */
export function forgetAllPending(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(kept)) forgetPending(name);
}
