// Text from outside, made fit to be shown: on one line, and without the secrets that whoever said it was told.

/** On one line, without control and format characters. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/**
 * `line` with `***` for each secret, as it is and as URLs, forms and JSON spell it, in any case of letters.
 * Secrets under four characters are left: masking them would only show where they stand.
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
