// What the API says about a send, by the fields of the page: all contacts have the same fields but their recipient.

import type { ApiError } from "#ui/api/client.ts";

type Faults = Pick<ApiError, "errors"> | null;

const recipientField = /^contact\.(\d+)\.(?:number|email)$/;

/** What is wrong with a field of the contacts, by the first of them; null: nothing. `field`: its path in a contact. */
export function faultOf(error: Faults, field: string): string | null {
  for (const [path, messages] of Object.entries(error?.errors ?? {}))
    if (/^contact\.\d+\./.test(path) && path.slice(path.indexOf(".", 8) + 1) === field)
      return messages.join(" ");
  return null;
}

/** The places of recipients that are refused, with what is said about each; in their order. */
const refusedRecipients = (error: Faults): { at: number; message: string }[] =>
  Object.entries(error?.errors ?? {}).flatMap(([path, messages]) => {
    const match = recipientField.exec(path);
    return match === null ? [] : [{ at: Number(match[1]), message: messages.join(" ") }];
  });

/** How many refused recipients are named one by one. */
const maxNamed = 5;

/** What is wrong with the recipients, naming each as it was written; null: nothing. */
export function recipientFault(error: Faults, recipients: readonly string[]): string | null {
  const refused = refusedRecipients(error);
  const whole = error?.errors.contact?.join(" ") ?? null;
  if (refused.length === 0) return whole;
  if (recipients.length === 0) return "Name at least one recipient.";
  const named = refused.slice(0, maxNamed).map(({ at, message }) => `${recipients[at] ?? at}: ${message}`);
  const more = refused.length - named.length;
  return [...named, ...(more === 0 ? [] : [`And ${more} more.`])].join(" ");
}

/** What is wrong with the files; null: nothing. */
export function fileFault(error: Faults): string | null {
  const found = Object.entries(error?.errors ?? {}).filter(([path]) => path.split(".")[0] === "attachments");
  return found.length === 0 ? null : found.flatMap(([, messages]) => messages).join(" ");
}
