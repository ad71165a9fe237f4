// What would happen to each contact of a send, by the same rules that accept it. Nothing is stored or counted.

import type { Issue } from "#contract/issue.ts";
import type { NewMessage } from "#store/messages/send.ts";
import { type AcceptDeps, prepareSend, type SendRequest } from "./accept.ts";

export interface SendPreview {
  /** The row of each contact, in order; null if the contact has issues. */
  messages: (NewMessage | null)[];
  /** All issues that would refuse the send: those of its body, and those that its account adds. */
  issues: Issue[];
}

/** The index of the contact that an issue is about; null if it is about the request. */
const placeOf = ({ path }: Issue): number | null =>
  path[0] === "contact" && typeof path[1] === "number" ? path[1] : null;

/** Applies the rules of acceptance. A contact with issues does not hide the outcome of the others. */
export async function previewSend(
  deps: Pick<AcceptDeps, "clock" | "newIds">,
  { account, channel, send }: Pick<SendRequest, "account" | "channel" | "send">,
): Promise<SendPreview> {
  const now = deps.clock.now();
  const whole = await prepareSend(deps, { account, channel, send }, now);
  if (whole.kind === "ready") return { messages: [...whole.messages], issues: [] };
  const refused = new Set(whole.issues.map(placeOf));
  const contacts = send.contacts.filter((_contact, at) => !refused.has(at));
  const rest = await prepareSend(deps, { account, channel, send: { contacts, issues: [] } }, now);
  const rows = rest.kind === "ready" ? rest.messages.values() : [].values();
  return {
    messages: send.contacts.map((_contact, at) => (refused.has(at) ? null : (rows.next().value ?? null))),
    issues: whole.issues,
  };
}
