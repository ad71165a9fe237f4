// Makes text from a peer fit for logs, errors and records: one line, of bounded length, and without the secrets that the peer was given. A
// provider may repeat a secret in an error, an event or a delivery report.

/** The text on one line, without control and format characters. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/**
 * The text on one line, for a column and a screen: a space replaces each run of control characters and halves of surrogate pairs, neither
 * of which PostgreSQL can store unchanged. At most `maxLength` UTF-16 units.
 */
export function withoutControls(text: string, maxLength: number): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\ud800-\udfff]+/gu, " ")
    .slice(0, maxLength)
    .toWellFormed()
    .trim();
}

const jsonText = (text: string) => JSON.stringify(text).slice(1, -1);

/**
 * `line` with `***` for each secret, verbatim and as URLs, forms and JSON encode it, in any case of letters. Secrets under four characters
 * are kept: masking them would only show where they occur.
 */
export function withoutSecrets(line: string, secrets: readonly string[]): string {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    const text = secret.toWellFormed();
    const component = encodeURIComponent(text);
    const form = new URLSearchParams([["", text]]).toString().slice(1);
    const inJson = jsonText(text);
    // In a body a provider may have JSON within JSON.
    for (const spelling of [text, component, form, inJson, jsonText(inJson)]) {
      const shown = oneLine(spelling);
      if (shown.length >= 4) spellings.add(shown);
    }
  }
  if (spellings.size === 0) return line;
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return line.replace(new RegExp(longestFirst.map((text) => RegExp.escape(text)).join("|"), "giu"), "***");
}

/** Cleaning a MiB of blanks and soft hyphens takes 60 ms. */
const maxInputChars = 64 * 1024;

/**
 * A peer's text on one line: without control and format characters, without `secrets`, at most `maxChars` long. Secrets are removed from
 * the text as it will be shown and before it is truncated, because half a secret is one too. Only the beginning of a very long text is
 * read.
 */
export function cleanText(text: string, secrets: readonly string[], maxChars = 200): string {
  const isCut = text.length > maxInputChars;
  const line = withoutSecrets(oneLine(isCut ? text.slice(0, maxInputChars) : text), secrets);
  // The input may be truncated inside a secret. If the text consists of blanks and secrets, that half would be all that remains.
  if (isCut && line.length < maxInputChars / 2) return "";
  const characters = Array.from(line.slice(0, 2 * maxChars + 2));
  return characters.length <= maxChars ? line : `${characters.slice(0, maxChars - 1).join("")}…`;
}
