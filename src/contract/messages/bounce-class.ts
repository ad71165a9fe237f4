// Classifies what a mail server's refusal says about the address. A hard bounce suppresses the address, so a refusal for
// another reason (size, content, our reputation, a forwarding rule) never counts against it.

const enhanced = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/;
const refusal = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;

/** Status details (RFC 3463, IANA registry) of a mailbox or domain that does not exist or is closed permanently. */
const gone: ReadonlySet<string> = new Set([
  "1.1", // no such mailbox
  "1.2", // no such domain
  "1.3", // not an address there
  "1.4", // is the address of several mailboxes
  "1.6", // has moved
  "1.10", // the domain takes no mail (null MX)
  "2.1", // mailbox disabled
  "4.310", // Exchange Online: no such domain
]);

const mailboxFull = "2.2";

const words =
  /\b(?:user|mailbox|recipient|address|account)\b[^.;\r\n]{0,60}\b(?:unknown|not found|not exist|does ?n[o']t exist|no longer|disabled|invalid|inactive|unavailable|unrouteable)|\b(?:unknown|no such|invalid|nonexistent|non-existent|inactive|disabled)\b[^.;\r\n]{0,30}\b(?:user|mailbox|recipient|address|account|person)|\brecipient (?:address )?rejected\b|\bdoes ?n[o']t have an? [^;\r\n]{0,40}\baccount\b|\bnull mx\b|\bunrouteable address\b/i;
const full = /\b(?:over ?quota|quota exceeded|mailbox (?:is )?full|insufficient (?:system )?storage)\b/i;

/** The first enhanced status code of a refusal (`5.1.1`) in a text; null: the text has none. */
export function statusIn(text: string): string | null {
  return refusal.exec(text.slice(0, 4000))?.[0] ?? null;
}

/**
 * What a failed delivery says about its address. `hard`: it does not exist or takes no mail; `soft`: it may take mail
 * later; null: nothing, because the cause is not the address. `status`: enhanced (`5.1.1`), null without one; `text`:
 * the server's reply.
 */
export function bounceOf(status: string | null, text: string): "hard" | "soft" | null {
  const [, kind, subject = "", detail = ""] = enhanced.exec(status ?? statusIn(text) ?? "") ?? [];
  if (kind === undefined) {
    if (full.test(text)) return "soft";
    return /\b55[0134]\b/.test(text) && words.test(text) ? "hard" : "soft";
  }
  const point = `${Number(subject)}.${Number(detail)}`;
  // Policy and content (7), the message's form (6), and too large for the mailbox or the system.
  if (subject === "7" || subject === "6" || point === "2.3" || point === "3.4") return null;
  // The sender's address (RFC 3463, X.1.7 and X.1.8) and misconfigured servers (X.1.9).
  if (point === "1.7" || point === "1.8" || point === "1.9") return null;
  if (kind !== "5") return "soft";
  if (gone.has(point)) return "hard";
  if (point === mailboxFull || full.test(text)) return "soft";
  // Many servers use 5.0.0, 5.4.1 or 5.5.0 for everything and explain in the text.
  return words.test(text) ? "hard" : "soft";
}

/** Narrower than `words`: an immediate refusal may come from our own relay and be about our account there. */
const noSuchUser =
  /\b(?:no such|unknown|invalid) (?:user|mailbox|recipient)\b|\b(?:user|mailbox|recipient)\b[^.;\r\n]{0,30}\b(?:unknown|not found|does ?n[o']t exist)/i;

/** Whether an SMTP refusal says that the address does not exist: by its code (`550 5.1.1`, `5.1.10`), or by a plain 550 and its text. */
export function isAddressFault(code: string, text: string): boolean {
  const [, kind, subject = "", detail = ""] = enhanced.exec(code.slice(0, 100)) ?? [];
  if (kind !== undefined) return kind === "5" && gone.has(`${Number(subject)}.${Number(detail)}`);
  return /^55[01]$/.test(code) && noSuchUser.test(text.slice(0, 1000));
}
