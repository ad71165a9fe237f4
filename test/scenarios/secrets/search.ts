// Finds planted secrets in all that a system left behind, whole or in pieces, plain or encoded. A secret is looked
// for by stretches of eight of its characters, so that a cut or masked one is found as well, and nothing else can
// be taken for it. URL encoding and JSON escapes leave those characters as they are.

import { createHash } from "node:crypto";

/** Characters of a canary that stand next to each other in every plain spelling of it. */
const stretch = 8;

/** A text of lower-case letters and digits that is nowhere else, the same in every run. */
export function canary(name: string, length = 24): string {
  const bytes = createHash("shake256", { outputLength: length }).update(`canary ${name}`).digest();
  return [...bytes].map((byte) => (byte % 36).toString(36)).join("");
}

/** What a free text may have around its characters, so that every encoding changes it. */
export function wild(name: string): string {
  const text = canary(name);
  return `${text.slice(0, 12)} "+/=&%é\\<${text.slice(12)}`;
}

/** The characters of a text's base64 that are the same at every place in what is encoded. */
function base64Inside(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from("\0".repeat(shift) + text).toString("base64url");
    const from = Math.ceil((shift * 4) / 3);
    const whole = Math.floor(((shift + text.length) * 8) / 6);
    return encoded.slice(from, whole);
  });
}

/** The pieces of a secret, in every form in which they are looked for. */
export function forms(secret: string): string[] {
  // Of a text with odd characters, what is between them.
  const runs = secret.split(/[^A-Za-z0-9_-]+/).filter((run) => run.length >= stretch);
  const pieces = runs.flatMap((run) => {
    const places = Array.from({ length: Math.floor(run.length / stretch) }, (_, index) => index * stretch);
    return [...places, run.length - stretch].map((at) => run.slice(at, at + stretch));
  });
  return [...new Set(pieces)].flatMap((piece) => {
    const hex = Buffer.from(piece).toString("hex");
    const encoded = base64Inside(piece);
    return [
      piece,
      ...encoded,
      ...encoded.map((text) => text.replaceAll("-", "+").replaceAll("_", "/")),
      hex,
      hex.toUpperCase(),
    ];
  });
}

export interface Hit {
  name: string;
  /** The text around it. */
  around: string;
}

function startCode(text: string, at: number): number {
  const first = text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31;
  return (first + text.charCodeAt(at + 2)) & 65_535;
}

/** Looks for all secrets at once: `secrets` are texts by name. */
export function createSearch(secrets: ReadonlyMap<string, string>): (text: string) => Hit[] {
  const byStart = new Map<string, { form: string; name: string }[]>();
  /** By the first three characters: nearly all places of tens of megabytes are passed over by this alone. */
  const mayStart = new Uint8Array(65_536);
  for (const [name, secret] of secrets) {
    for (const form of forms(secret)) {
      const start = form.slice(0, stretch);
      mayStart[startCode(form, 0)] = 1;
      byStart.set(start, [...(byStart.get(start) ?? []), { form, name }]);
    }
  }
  return (text) => {
    const hits = new Map<string, Hit>();
    for (let at = 0; at + stretch <= text.length; at += 1) {
      if (mayStart[startCode(text, at)] === 0) continue;
      for (const { form, name } of byStart.get(text.slice(at, at + stretch)) ?? []) {
        if (hits.has(name) || !text.startsWith(form, at)) continue;
        const around = JSON.stringify(text.slice(Math.max(0, at - 120), at + 60));
        hits.set(name, { name, around });
      }
    }
    return [...hits.values()];
  };
}
