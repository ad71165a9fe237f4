// Where a text stops being valid JSON.

/** V8 ends its message with the position, unless it quotes the text; a quoted text never ends the message. */
const place = /\(line (\d{1,9}) column (\d{1,9})\)$/;
const tooShort = "Unexpected end of JSON input";

/** The sentence about a body that `JSON.parse` refused with this error. It gives the position, and shows nothing of the body. */
export function notJsonMessage(error: unknown): string {
  const message = error instanceof SyntaxError ? error.message : "";
  if (message === tooShort) return "The body is not valid JSON: it ends too soon.";
  const [, line, column] = place.exec(message) ?? [];
  return line === undefined
    ? "The body is not valid JSON."
    : `The body is not valid JSON: line ${line}, column ${column}.`;
}
