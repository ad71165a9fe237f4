// The send that a person is composing, with its Idempotency-Key. The tab stores both until it is accepted: a second click, a reload or a
// repetition after a lost answer is the same request with the same key, so the service sends it once. A tab stores several of them, each
// under its own name, for the person who wrote it, and deletes all of them when that person signs out.

import { type Draft, emptyDraft } from "./draft.ts";

interface Pending {
  key: string;
  /** The filter in the address with which the page was opened: another one begins another send. */
  from: string;
  draft: Draft;
}

const kept = "draft ";

/** The name of a draft. `of`: the ids of the person and of the account, and its other purpose. */
export const pendingName = (of: { person: string; account: string; for: string }): string =>
  kept + JSON.stringify([of.person, of.account, of.for]);

/** A new send, initialised from the page's address. */
export function newPending(search: Readonly<Record<string, string | undefined>>): Pending {
  const { channel, to, gateway, subject = "", message = "" } = search;
  return {
    key: crypto.randomUUID(),
    from: JSON.stringify([channel, to, gateway, subject, message]),
    draft: {
      ...emptyDraft,
      subject,
      message,
      ...(channel === "sms" || channel === "whatsapp" || channel === "email" ? { channel } : {}),
      ...(to === undefined ? {} : { recipients: to }),
      ...(gateway === undefined ? {} : { gateway }),
    },
  };
}

/** The draft stored under this name, or a new send. */
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
    // More than a browser stores: a reload then starts over, and asks before it discards the text.
  }
}

export const forgetPending = (name: string): void => sessionStorage.removeItem(name);

/** Drafts of this tab must not be visible to another person. */
export function forgetAllPending(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(kept)) forgetPending(name);
}
