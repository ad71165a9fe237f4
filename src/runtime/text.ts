// Makes text from outside safe to show: one line, without the secrets that its sender knows.

/** The text on one line, without control and format characters. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/**
 * `line` with `***` for each secret, in plain text and as encoded in URLs, forms and JSON, in any case of letters.
 * Secrets under four characters are not masked: the mask would only reveal their positions.
 */
export function withoutSecrets(line: string, secrets: readonly string[]): string {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    const text = secret.toWellFormed();
    const component = encodeURIComponent(text);
    const form = new URLSearchParams([["", text]]).toString().slice(1);
    for (const spelling of [text, component, form, JSON.stringify(text).slice(1, -1)]) {
      const shown = oneLine(spelling);
      if (shown.length >= 4) spellings.add(shown);
    }
  }
  if (spellings.size === 0) return line;
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return line.replace(new RegExp(longestFirst.map((text) => RegExp.escape(text)).join("|"), "giu"), "***");
}
