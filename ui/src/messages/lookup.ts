// Interprets a text pasted into the log's search field: an id, a recipient, or the provider's own reference.

/** A message's page, or messages by one filter of the API. */
type Lookup = { page: string } | { filter: "request" | "recipient" | "reference"; value: string };

/** Filters that replace one another. */
export const lookups = ["recipient", "request", "reference"] as const;

/**
 * The meaning of the text. Ids are also found within a line of a log. Text that is neither an id nor a number nor an address is looked up
 * as a provider's reference.
 */
export function lookupOf(text: string): Lookup {
  const [, message] = /(?:^|[^\w-])(msg_[0-9a-z]{10,40})(?![\w-])/.exec(text) ?? [];
  if (message !== undefined) return { page: message };
  const [, request] = /(?:^|[^\w-])(req_[0-9a-z]{10,40})(?![\w-])/.exec(text) ?? [];
  if (request !== undefined) return { filter: "request", value: request };
  const digits = text.replaceAll(/\D/g, "").length;
  const isNumber = /^\+?[\d\s()./-]+$/.test(text) && digits >= 3 && digits <= 16;
  const isAddress = /^[^\s<>@]+@[^\s<>@]+$/.test(text);
  // The API accepts no slash in a number, as in "0151/234 567", since a field may contain two of them.
  if (isNumber) return { filter: "recipient", value: text.replaceAll("/", " ") };
  return { filter: isAddress ? "recipient" : "reference", value: text };
}
