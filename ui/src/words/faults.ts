// The API's messages about fields, without the paths that they name: a person reads them beside the field, or in a list of all.

/** `is required.` of "The contact.0.message field is required."; null for a message of another form. It may name another field. */
export function afterField(message: string): string | null {
  const at = message.indexOf(" field ");
  if (!message.startsWith("The ") || at < 0) return null;
  return message.slice(at + " field ".length).replace(/\b[a-z]\w*\.\d+\.[\w.]+/, nameOf);
}

const isSelected = (message: string) => message.startsWith("The selected ");

/** A message at its field, which it names. */
export function faultHere(message: string, title = "This field"): string {
  const rest = afterField(message);
  if (rest !== null) return `${title} ${rest}`;
  if (isSelected(message)) return "This choice is invalid.";
  return /^(?:[a-z]|(?:Must|Is|Are|Has) )/.test(message)
    ? `${title} ${message.charAt(0).toLowerCase()}${message.slice(1)}`
    : message;
}

/** `success path` of `settings.success.path`, `message` of `contact.0.message`. */
function nameOf(path: string): string {
  const parts = path.split(".").filter((part) => !/^\d+$/.test(part));
  return (parts.length > 1 ? parts.slice(1) : parts).join(" ").replaceAll("_", " ");
}

/** The title of the field at a path, if it has one. */
export type TitleOf = (path: string) => string | undefined;

/** Messages of several fields as sentences that name them, each once: fields of a list often have the same fault. */
export function faultSentences(
  errors: Readonly<Record<string, readonly string[]>>,
  titleOf: TitleOf = () => undefined,
): string[] {
  const all = Object.entries(errors).flatMap(([path, messages]) => {
    const name = titleOf(path) ?? nameOf(path);
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return messages.map((message) => {
      const rest = afterField(message);
      if (rest !== null) return `The ${name} field ${rest}`;
      if (isSelected(message)) return `The selected ${name} is invalid.`;
      return /^[a-z]/.test(message) ? `${title} ${message}` : `${title}: ${message}`;
    });
  });
  return [...new Set(all)];
}
