// Escapes characters that control a terminal or change the visual order of text: all controls except line feeds and tabs, line and
// paragraph separators, and bidirectional controls.

const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with each of them as a `\u` escape. */
export const escapeControls = (text: string): string =>
  text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
