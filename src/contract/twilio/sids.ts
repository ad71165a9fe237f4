// Twilio's names of things, which are a prefix and 32 hexadecimal digits. Our ids have the same 128 bits in base 32, so each is the other
// written differently, and nothing has to be stored. https://www.twilio.com/docs/glossary/what-is-a-sid

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const idShape = /^[a-z][a-z0-9]*_([0-7][0-9a-hjkmnp-tv-z]{25})$/;
const sidShape = /^[A-Z]{2}([0-9a-f]{32})$/;

/** The SID of an id of ours, such as `SM` and the digits of a message. Throws for a text that is not an id. */
export function sidOf(prefix: "SM" | "MG", id: string): string {
  const digits = idShape.exec(id)?.[1];
  if (digits === undefined) throw new Error("Not an id.");
  let value = 0n;
  for (const digit of digits) value = value * 32n + BigInt(alphabet.indexOf(digit));
  return prefix + value.toString(16).padStart(32, "0");
}

/** The id that a SID names, such as `msg_…`; null for a text that is not a SID with this prefix. */
export function idOfSid(prefix: "SM" | "MG", sid: string, idPrefix: "msg" | "gw"): string | null {
  const digits = sidShape.exec(sid)?.[1];
  if (digits === undefined || !sid.startsWith(prefix)) return null;
  let value = BigInt(`0x${digits}`);
  let text = "";
  for (let at = 0; at < 26; at++) {
    text = alphabet[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return `${idPrefix}_${text}`;
}
