// Email addresses: one plain addr-spec and nothing else. Everything else that mail libraries accept (names, groups, lists, comments, quoted
// local parts) is refused, because two parsers of such a text can see two different recipients.

const local = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

interface Address {
  /** As written. */
  local: string;
  /** In lower case and ASCII: an internationalised domain in its `xn--` form. */
  domain: string;
}

/** The two sides of an address; null if the text is not one plain address. */
export function readAddress(text: string): Address | null {
  if (text.length > 512) return null;
  const at = text.lastIndexOf("@");
  const name = text.slice(0, Math.max(at, 0));
  if (name.length > 64 || !local.test(name)) return null;
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === null) return null;
  const labels = domain.split(".");
  if (labels.length < 2 || domain.length > 253 || name.length + 1 + domain.length > 254) return null;
  if (!labels.every((part) => label.test(part)) || /^\d+$/.test(labels.at(-1)!)) return null;
  return { local: name, domain };
}

/** A domain in ASCII, as in URLs; null if the text is not a domain. */
function asciiDomain(text: string): string | null {
  // A URL's host may be more than a domain: tabs are dropped, `%` is decoded, and what follows may be a port or path.
  if (text === "" || /[\s%/\\:?#@<>[\]]|[\u0000-\u001f\u007f]/.test(text)) return null;
  return URL.parse(`http://${text}`)?.hostname.toLowerCase() ?? null;
}

export function isPlainAddress(text: string): boolean {
  return readAddress(text) !== null;
}

/** The address as sent on the wire: the local part as written, the domain in ASCII. Null if the text is not an address. */
export function wireAddress(text: string): string | null {
  const address = readAddress(text);
  return address && `${address.local}@${address.domain}`;
}

/** The address in the form that is compared and stored on the suppression list: all in lower case. Null if the text is not an address. */
export function normaliseAddress(text: string): string | null {
  return wireAddress(text)?.toLowerCase() ?? null;
}
