// What a mail server's refusal says about the address that it refused. Whoever is taken for gone gets nothing any
// more, so what is not the address's own fault (size, content, our reputation, a forwarding rule) never counts against it.

const enhanced = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/;
const refusal = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;

/** Details of RFC 3463 and the IANA registry that speak of a mailbox or domain that is not there or closed for good. */
const gone: ReadonlySet<string> = new Set([
  "1.1", // no such mailbox
  "1.2", // no such domain
  "1.3", // not an address there
  "1.4", // stands for several mailboxes
  "1.6", // has moved
  "1.10", // the domain takes no mail (null MX)
  "2.1", // mailbox disabled
  "4.310", // Exchange Online: no such domain
]);

const mailboxFull = "2.2";

const words =
  /\b(?:user|mailbox|recipient|address|account)\b[^.;\r\n]{0,60}\b(?:unknown|not found|not exist|does ?n[o']t exist|no longer|disabled|invalid|inactive|unavailable|unrouteable)|\b(?:unknown|no such|invalid|nonexistent|non-existent|inactive|disabled)\b[^.;\r\n]{0,30}\b(?:user|mailbox|recipient|address|account|person)|\brecipient (?:address )?rejected\b|\bdoes ?n[o']t have an? [^;\r\n]{0,40}\baccount\b|\bnull mx\b|\bunrouteable address\b/i;
const full = /\b(?:over ?quota|quota exceeded|mailbox (?:is )?full|insufficient (?:system )?storage)\b/i;

/** The first enhanced status code of a refusal (`5.1.1`) in a text; null: there is none. */
export function statusIn(text: string): string | null {
  return refusal.exec(text.slice(0, 4000))?.[0] ?? null;
}

/**
 * What a mail that was given up says about its address. `hard`: it does not exist or takes no mail; `soft`: it could
 * later; null: nothing, because something else was at fault. `status`: enhanced (`5.1.1`), null where none was given;
 * `text`: the server's words.
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
  // The sender's own address (RFC 3463, X.1.7 and X.1.8) and servers that are wrongly set up (X.1.9).
  if (point === "1.7" || point === "1.8" || point === "1.9") return null;
  if (kind !== "5") return "soft";
  if (gone.has(point)) return "hard";
  if (point === mailboxFull || full.test(text)) return "soft";
  // Many servers say 5.0.0, 5.4.1 or 5.5.0 for everything, and what they mean in words.
  return words.test(text) ? "hard" : "soft";
}

/** Narrower than `words`: what refuses at once may be our own server, speaking of our own account. */
const noSuchUser =
  /\b(?:no such|unknown|invalid) (?:user|mailbox|recipient)\b|\b(?:user|mailbox|recipient)\b[^.;\r\n]{0,30}\b(?:unknown|not found|does ?n[o']t exist)/i;

/** Whether a refusal at the sending says that there is no such address: by its code (`550 5.1.1`, `5.1.10`), or by a plain 550 and its words. */
export function isAddressFault(code: string, text: string): boolean {
  const [, kind, subject = "", detail = ""] = enhanced.exec(code.slice(0, 100)) ?? [];
  if (kind !== undefined) return kind === "5" && gone.has(`${Number(subject)}.${Number(detail)}`);
  return /^55[01]$/.test(code) && noSuchUser.test(text.slice(0, 1000));
}
