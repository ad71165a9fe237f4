// The API's errors about a send, by the fields of the page: all contacts have the same fields except their recipient.

import type { ApiError } from "#ui/api/client.ts";
import { afterField, faultHere } from "#ui/words/faults.ts";

type Faults = Pick<ApiError, "errors"> | null;

const recipientField = /^contact\.(\d+)\.(?:number|email)$/;

/** The error of a field of the contacts, from the first of them; null if there is none. `field`: its path in a contact. */
export function faultOf(error: Faults, field: string): string | null {
  for (const [path, messages] of Object.entries(error?.errors ?? {}))
    if (/^contact\.\d+\./.test(path) && path.slice(path.indexOf(".", 8) + 1) === field)
      return messages.map((each) => faultHere(each)).join(" ");
  return null;
}

/** The indices of refused recipients, with their errors, in order. */
const refusedRecipients = (error: Faults): { at: number; message: string }[] =>
  Object.entries(error?.errors ?? {}).flatMap(([path, messages]) => {
    const match = recipientField.exec(path);
    return match === null
      ? []
      : [{ at: Number(match[1]), message: messages.map((each) => afterField(each) ?? each).join(" ") }];
  });

/** How many refused recipients are named individually. */
const maxNamed = 5;

/** The errors of the recipients, naming each as it was written; null if there are none. */
export function recipientFault(error: Faults, recipients: readonly string[]): string | null {
  const refused = refusedRecipients(error);
  const whole = error?.errors.contact?.map((each) => faultHere(each)).join(" ") ?? null;
  if (refused.length === 0) return whole;
  if (recipients.length === 0) return "Name at least one recipient.";
  const named = refused.slice(0, maxNamed).map(({ at, message }) => `${recipients[at] ?? at}: ${message}`);
  const more = refused.length - named.length;
  return [...named, ...(more === 0 ? [] : [`And ${more} more.`])].join(" ");
}

/** The errors of the files; null if there are none. */
export function fileFault(error: Faults): string | null {
  const found = Object.entries(error?.errors ?? {}).filter(([path]) => path.split(".")[0] === "attachments");
  return found.length === 0
    ? null
    : found.flatMap(([, messages]) => messages.map((each) => faultHere(each))).join(" ");
}
