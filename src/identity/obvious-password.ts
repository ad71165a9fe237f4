// Recognises passwords that are guessed first: in lists of leaked ones (OWASP ASVS 5.0, 6.2.4), passwords of 12 characters and more consist
// of a few words, years and walks over the keyboard. What remains without these must be substantial.

/** Longest first, so that none hides a longer one. */
const words: readonly string[] = [
  ..."administrator manchester basketball liverpool starwars computer football baseball superman princess".split(
    " ",
  ),
  ..."sunshine trustno1 iloveyou passwort password internet changeme passw0rd michelle jennifer butterfly".split(
    " ",
  ),
  ..."chocolate letmein welcome monkey dragon master shadow secret summer winter spring autumn default".split(
    " ",
  ),
  ..."charlie michael jessica ashley daniel thomas jordan hunter batman pokemon samsung google facebook".split(
    " ",
  ),
  ..."trunkline qazwsxedc qazwsx zaq12wsx 1q2w3e4r5t6y 1q2w3e4r5t 1q2w3e4r 1qaz2wsx3edc 1qaz2wsx q1w2e3r4t5y6 q1w2e3r4".split(
    " ",
  ),
  ..."admin guest hello login qwerty azerty qwertz access flower lovely ninja nothing root test user love".split(
    " ",
  ),
].toSorted((one, other) => other.length - one.length);

/** Neighbours on a keyboard (QWERTY, QWERTZ, AZERTY), in the alphabet and among digits. */
const rows: readonly string[] = [
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "qsdfghjklm",
  "zxcvbnm",
  "yxcvbnm",
  "wxcvbn",
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
];
const neighbours: ReadonlySet<string> = new Set(
  rows.flatMap((row) =>
    [...row].slice(1).flatMap((letter, i) => [`${row[i]}${letter}`, `${letter}${row[i]}`]),
  ),
);

const lookalikes: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "0": "o",
  "3": "e",
  $: "s",
  "5": "s",
  "!": "i",
};
const unmasked = (text: string) => text.replace(/[@403$5!]/g, (sign) => lookalikes[sign] ?? sign);

/** Fewer characters than this besides words and walks can be tried out in no time. */
const minRest = 4;

/** `text`: a password of at least 12 characters in lower case. */
export function isObviousPassword(text: string): boolean {
  return new Set(text).size < 4 || restOf(text).length < minRest;
}

/** Without common words, years, walks of at least three keys and separators. */
function restOf(text: string): string {
  const plain = unmasked(text);
  let rest = "";
  for (let at = 0; at < text.length; ) {
    const word = words.find((each) => text.startsWith(each, at) || plain.startsWith(each, at));
    const year = /^(?:19|20)\d\d/.exec(text.slice(at, at + 4))?.[0];
    const length = Math.max(word?.length ?? 0, year?.length ?? 0, walkAt(text, at));
    if (length === 0 && !/[\s._-]/.test(text[at] ?? "")) rest += text[at];
    at += Math.max(length, 1);
  }
  return rest;
}

/** The length of a walk that begins here; 0 if none does. */
function walkAt(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isStep(text[end - 1] ?? "", text[end] ?? "")) end++;
  return end - start >= 3 ? end - start : 0;
}

const isStep = (one: string, other: string) => neighbours.has(one + other);
