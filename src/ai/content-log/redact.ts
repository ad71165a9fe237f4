// Replaces secrets and personal data in a text before it is stored. It matches patterns: text that resembles no known form is kept, and a
// number may be mistaken for a phone number. Every pattern is linear.

import type { RedactedKind } from "#contract/manage/pools/content-log.ts";
import { withoutKeys } from "#providers/failure/scrub.ts";

/** Replaces the secret. */
const markOf = (kind: RedactedKind) => `[${kind}]`;

/** A private key, up to its end or to where the text was cut. */
const privateKey = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=:,.\s\\-]*/g;
/** A URL's login, up to its last `@`: a password may contain some. */
const urlLogin = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#"'<>]{1,200}@/gi;
/** Tokens of Trunkline and of other issuers that have a prefix of their own; those of AI providers are matched separately. */
const namedTokens =
  /(?<![A-Za-z0-9])(?:xox[abeprs]-|xapp-|glpat-|github_pat_|gh[oprsu]_|npm_|pypi-|dop_v1_|shp(?:at|ca|pa|ss)_|tlm_|SG\.)[A-Za-z0-9_.-]{10,}/g;

const email =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;
/** In groups or in one piece; the check digit distinguishes it from other numbers. */
const card = /(?<![\p{L}\p{N}])\d(?:[ -]?\d){12,18}(?![\p{L}\p{N}])/gu;
/** With a country code or a trunk prefix 0, or in the North American format. */
const phone =
  /(?<![\p{L}\p{N}+])(?:(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){6,13}|\(?0\d(?:[ ()./-]{0,2}\d){6,11}|\(?[2-9]\d{2}[) .-]{1,2}\d{3}[ .-]\d{4})(?![\p{L}\p{N}])/gu;

/** Names of fields whose text is a secret. Compared without case, hyphens and underscores. */
const secretNames =
  /^(?:authorization|cookie|setcookie|passwd|passphrase|credentials?)$|(?:apikey|authorizationtoken|accesstoken|authtoken|refreshtoken|bearertoken|sessiontoken|password|secret|secretkey|privatekey)$/;

const isSecretName = (name: string) =>
  name.length <= 64 && secretNames.test(name.replace(/[_-]/g, "").toLowerCase());

/** Luhn's check digit. */
function isCard(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function secretsReplaced(text: string): string {
  const mark = markOf("secret");
  return withoutKeys(
    text.replace(privateKey, mark).replace(urlLogin, `$1${mark}@`).replace(namedTokens, mark),
    mark,
  );
}

const replacing: Readonly<Record<RedactedKind, (text: string) => string>> = {
  secret: secretsReplaced,
  email: (text) => text.replace(email, markOf("email")),
  card: (text) =>
    text.replace(card, (number) => (isCard(number.replace(/\D/g, "")) ? markOf("card") : number)),
  phone: (text) => text.replace(phone, markOf("phone")),
};
/** A login in a URL looks like an address, and a card number like a phone number. */
const order: readonly RedactedKind[] = ["secret", "email", "card", "phone"];

/** Maximum length of a text that is read as JSON, such as the arguments of a tool, UTF-16 units. */
const maxJson = 256 * 1024;
/** Maximum nesting depth of such a text, including texts in it. */
const maxJsonDepth = 64;

const looksLikeJson = (text: string) => text.length <= maxJson && /^\s{0,16}[[{]/.test(text);

export interface Redaction {
  /** The text of a field or of a list item. `name`: the field's name; null if it has none. Names of fields inside JSON count too. */
  text(text: string, name: string | null): string;
  /** A number or the like: returned unchanged, or replaced by the mark of its kind. */
  scalar(value: unknown, name: string | null): unknown;
  /** Whether the text must be read whole even if only its beginning is kept: names in it determine what is a secret. */
  readsWhole(text: string): boolean;
  /** The kinds of data replaced so far. */
  readonly found: ReadonlySet<RedactedKind>;
}

/** Replaces data of these kinds. */
export function redaction(kinds: readonly RedactedKind[]): Redaction {
  const found = new Set<RedactedKind>();
  const inOrder = order.filter((kind) => kinds.includes(kind));
  const hidesNamed = kinds.includes("secret");

  function byForm(text: string): string {
    let redacted = text;
    for (const kind of inOrder) {
      const replaced = replacing[kind](redacted);
      if (replaced !== redacted) found.add(kind);
      redacted = replaced;
    }
    return redacted;
  }

  function textOf(text: string, name: string | null, depth: number): string {
    if (hidesNamed && name !== null && text !== "" && isSecretName(name)) {
      found.add("secret");
      return markOf("secret");
    }
    return byForm(hidesNamed && looksLikeJson(text) ? jsonOf(text, depth) : text);
  }

  /** The text, which may be JSON, with the secrets that its field names reveal replaced; the same text if there are none. */
  function jsonOf(text: string, depth: number): string {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return text;
    }
    const redacted = within(value, null, depth + 1);
    return redacted === value ? text : JSON.stringify(redacted);
  }

  /** The value itself if nothing in it is replaced. */
  function within(value: unknown, name: string | null, depth: number): unknown {
    if (depth > maxJsonDepth) return value;
    if (typeof value === "string") return textOf(value, name, depth);
    if (typeof value !== "object" || value === null) return scalar(value, name);
    let isSame = true;
    const parts = Object.entries(value).map(([field, part]): [string, unknown] => {
      const redacted = within(part, Array.isArray(value) ? name : field, depth + 1);
      if (redacted !== part) isSame = false;
      return [field, redacted];
    });
    if (isSame) return value;
    return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
  }

  function scalar(value: unknown, name: string | null): unknown {
    // Fractions resemble phone numbers.
    const isLooked =
      Number.isInteger(value) || (typeof value === "number" && name !== null && isSecretName(name));
    if (!isLooked) return value;
    const text = String(value);
    const redacted = textOf(text, name, 0);
    return redacted === text ? value : redacted;
  }

  return {
    found,
    text: (text, name) => textOf(text, name, 0),
    scalar,
    readsWhole: (text) => hidesNamed && looksLikeJson(text),
  };
}
