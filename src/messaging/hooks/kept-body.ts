// What is kept of the last body that a hook received, for its preview: bounded, and without the values of fields that are secret by their
// names.

const maxText = 1_000;
const maxItems = 20;
const maxFields = 100;
/** Values in all: this many of the longest would be 5 MB, but the body that they are from has 256 KiB. */
const maxValues = 5_000;
const maxBytes = 64 * 1024;

const secretName =
  /passw|passphrase|secret|token|credential|api[-_]?key|private[-_]?key|authorization|cookie/i;

/** The body as JSON of at most 64 KiB; null if even the shortened one is longer. */
export function keptBody(body: unknown): string | null {
  let values = 0;
  const shortened = (value: unknown): unknown => {
    values += 1;
    if (values > maxValues) return null;
    if (typeof value === "string")
      return value.length <= maxText ? value : `${value.slice(0, maxText).toWellFormed()}…`;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.slice(0, maxItems).map(shortened);
    return Object.fromEntries(
      Object.entries(value)
        .slice(0, maxFields)
        .map(([name, field]) => [name, secretName.test(name) && isText(field) ? "***" : shortened(field)]),
    );
  };
  const text = JSON.stringify(shortened(body));
  return Buffer.byteLength(text) > maxBytes ? null : text;
}

const isText = (value: unknown) => typeof value === "string" || typeof value === "number";
