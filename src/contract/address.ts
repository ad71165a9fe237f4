// Email addresses: one plain addr-spec and nothing else. Everything that mail libraries also read out of a
// text (names, groups, lists, comments, quoted local parts) is refused, because two readers of such a text can
// see two different recipients.

const local = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export interface Address {
  /** As given. */
  local: string;
  /** In lower case and ASCII: an internationalised domain in its `xn--` form. */
  domain: string;
}

/** The two sides of an address; null when the text is not one plain address. */
export function readAddress(text: string): Address | null {
  if (text.length > 512) return null;
  const at = text.lastIndexOf("@");
  const name = text.slice(0, Math.max(at, 0));
  if (name.length > 64 || !local.test(name)) return null;
  const given = text.slice(at + 1);
  const domain = asciiDomain(given);
  if (domain === null) return null;
  const labels = domain.split(".");
  if (labels.length < 2 || domain.length > 253 || name.length + 1 + domain.length > 254) return null;
  if (!labels.every((each) => label.test(each)) || /^\d+$/.test(labels.at(-1)!)) return null;
  return { local: name, domain };
}

/** A domain in ASCII, as URLs have it; null when it is none. */
function asciiDomain(given: string): string | null {
  // A URL's host may be more than a domain: tabs are dropped, `%` is decoded, and what follows may be a port or path.
  if (given === "" || /[\s%/\\:?#@<>[\]]|[\u0000-\u001f\u007f]/.test(given)) return null;
  return URL.parse(`http://${given}`)?.hostname.toLowerCase() ?? null;
}

export function isPlainAddress(text: string): boolean {
  return readAddress(text) !== null;
}

/** How the address is written on the wire: the local part as given, the domain in ASCII. Null when it is none. */
export function wireAddress(text: string): string | null {
  const address = readAddress(text);
  return address && `${address.local}@${address.domain}`;
}

/** How addresses are compared and kept on the suppression list: all in lower case. Null when it is none. */
export function normaliseAddress(text: string): string | null {
  return wireAddress(text)?.toLowerCase() ?? null;
}
