/** One fault of a request: where (`["contact", 0, "number"]`) and what, in the words the caller reads. */
export interface Issue {
  path: readonly (string | number)[];
  message: string;
}

/** The `errors` object of a 422: dotted path to its messages, in the order in which the issues come. */
export function errorsByPath(issues: readonly Issue[]): Record<string, string[]> {
  const errors: Record<string, string[]> = Object.create(null);
  for (const { path, message } of issues) {
    const key = path.join(".");
    const messages = errors[key];
    if (messages === undefined) errors[key] = [message];
    else if (!messages.includes(message)) messages.push(message);
  }
  return errors;
}
