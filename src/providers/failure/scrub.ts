// Finds keys in texts and makes a vendor's message safe for clients: removes keys, the query and login of URLs, and control characters. It
// recognizes keys by their form, because a vendor may quote a key that is not in our settings; a new kind of key that resembles no other
// would not be found. Every rule looks ahead a limited distance, so that 64 KiB are fast.

import { oneLine } from "#settings/redact.ts";

const hidden = "***";

/** Maximum length of a message that is passed on, UTF-16 units. */
const maxLength = 2000;

/** A URL keeps its scheme, host and path: no login, no query, no fragment. */
const urls = /\b([a-z][a-z0-9+.-]{1,12}:\/\/)(?:[^\s/?#"'<>@]*@)?([^\s?#"'<>]*)(?:[?#][^\s"'<>]*)?/giu;

/** The forms of keys, and which part of a match is kept. The order matters: values named as secrets, then values that look like secrets. */
const rules: readonly [RegExp, "" | "$1" | "$1 "][] = [
  // "x-api-key": "…", API key provided: …, access_token=…; also in JSON within JSON, whose quotes are escaped.
  [
    /((?:api|access|secret|auth|private|subscription|security|session)[-_ ]?(?:key|token)(?: provided| given)?\\{0,3}["']?\s?[:=]\s?\\{0,3}["']?)[^\s"'&,;<>]{6,}/giu,
    "$1",
  ],
  // key=…, password: … (but not max_tokens: 100000, nor "Unknown key: stop")
  [
    /(?<![A-Za-z_])((?:key|token)=|(?:password|secret)\\{0,3}["']?\s?[:=]\s?\\{0,3}["']?)[^\s"'&,;<>]{6,}/giu,
    "$1",
  ],
  [/\b(Bearer|Basic)\s+(?=[A-Za-z._~-]{0,40}[0-9+/=*])[A-Za-z0-9._~+/=*-]{6,}/giu, "$1 "],
  // sk-…, sk-ant-…, gsk_…, xai-…, tlp_… and the like, whether or not the vendor has masked them in part.
  [
    /(?<![A-Za-z0-9])(?:sk|pk|rk|ak|gsk|xai|csk|nvapi|pplx|hf|fw|tgp|tl|tlp|ghp|gho|whsec|fc|r8)[-_](?=[A-Za-z_.-]{0,40}[0-9*…])[A-Za-z0-9_*.…-]{10,}/gu,
    "",
  ],
  // Google's API keys, access tokens and their successors; AWS access keys; JSON web tokens.
  [/(?<![A-Za-z0-9])(?:AIza[A-Za-z0-9_*.-]{10,}|ya29\.[A-Za-z0-9_.-]{10,}|AQ\.[A-Za-z0-9_-]{10,})/gu, ""],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}/gu, ""],
  // AWS's session tokens are base64, whose slashes and plus signs split up runs of letters and digits.
  [/(?<![A-Za-z0-9+/=])(?:IQoJ|FwoG|FQoG|AQoD)[A-Za-z0-9+/=]{16,}/gu, ""],
  [/(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}/gu, ""],
  // AWS secret access keys: 40 characters of base64.
  [
    /(?<![A-Za-z0-9+/=])(?=[A-Za-z+/]{0,39}[0-9])(?=[a-z0-9+/]{0,39}[A-Z])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/gu,
    "",
  ],
  // Keys without a prefix (Azure, Mistral, Together): a long run of letters and digits.
  [/(?<![A-Za-z0-9])(?=[A-Za-z]{0,64}[0-9])(?=[0-9]{0,64}[A-Za-z])[A-Za-z0-9]{32,}/gu, ""],
];

/** The text with everything that looks like a key replaced by `mark`. */
export function withoutKeys(text: string, mark: string): string {
  let masked = text;
  for (const [pattern, kept] of rules) masked = masked.replace(pattern, `${kept}${mark}`);
  return masked;
}

/** The text on one line, without anything that looks like a key; at most 2,000 UTF-16 units. */
export function scrub(text: string): string {
  const line = withoutKeys(oneLine(text).replace(urls, "$1$2"), hidden);
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`;
}
