// Classifies what a mail server's refusal says about the address. A hard bounce suppresses the address, so a refusal for
// another reason (size, content, our reputation, a forwarding rule) never counts against it.

const enhanced = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/;
const refusal = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;

/** Status details (RFC 3463, IANA registry) of a mailbox or domain that does not exist or is closed permanently. */
const gone: ReadonlySet<string> = new Set([
  "1.1", // no such mailbox
  "1.2", // no such domain
  "1.3", // not a valid address there
  "1.4", // ambiguous: several mailboxes
  "1.6", // has moved
  "1.10", // the domain accepts no mail (null MX)
  "2.1", // mailbox disabled
  "4.4", // no route to the domain: it does not exist, or has no mail server
  "4.310", // Exchange Online: no such domain
]);

const mailboxFull = "2.2";

const words =
  /\b(?:user|mailbox|recipient|address|account)\b[^.;\r\n]{0,60}\b(?:unknown|not found|not exist|does ?n[o']t exist|no longer|disabled|invalid|inactive|unavailable|unrouteable)|\b(?:unknown|no such|invalid|nonexistent|non-existent|inactive|disabled)\b[^.;\r\n]{0,30}\b(?:user|mailbox|recipient|address|account|person)|\brecipient (?:address )?rejected\b|\bdoes ?n[o']t have an? [^;\r\n]{0,40}\baccount\b|\bnull mx\b|\bunrouteable address\b/i;
const full =
  /\b(?:over ?quota|quota exceeded|exceeded (?:its |the |their |storage )?quota|(?:mailbox|inbox|account)[^.;\r\n]{0,30} full|insufficient (?:system )?storage|out of (?:storage|disk) space)\b/i;

/**
 * Words about the sender, the client, its DNS, policy or content. They take precedence over words about the address: servers that refuse a
 * sender often quote an address that they did not find, namely ours.
 */
const wordsAboutUs: readonly RegExp[] = [
  /\b(?:sender(?:'s)? (?:address|domain|host|verif\w+|id|ip|not|is|was|has|rejected|refused|denied|blocked|unknown|invalid|policy|reputation))/i,
  // A recipient that was not verified is about the recipient.
  /\b(?<!recipient )(?<!recipient address )(?:verif\w+|callout|call-?back)[^;\n]{0,30}(?:failed|failure|could not|refused|rejected)/i,
  /\b(?:client|connecting) (?:host|ip|address|server|has|is|was)/i,
  /\b(?:helo|ehlo)\b/i,
  /\b(?:reverse[ -]?dns|rdns|ptr|dnsbl|rbl|spf|dkim|dmarc|fcrdns)\b/i,
  /\b(?:black|block|deny|reject)[ -]?list/i,
  /\b(?:ip|host|server|connection|message|mail|e-?mail|url|network|sender|domain)s?\b[^;\n]{0,40}\bblocked/i,
  /\b(?:blocked (?:by|using|due|for|because))/i,
  /\b(?:spam|spamming|junk|unsolicited|phishing|virus|malware|reputation|spamhaus|spamcop|barracuda)\b/i,
  /\b(?:due to|against|by|violat\w+|administrative|local|security|our|site|anti-?spam|content|per) (?:[\w-]+ )?polic(?:y|ies)/i,
  /\b(?:policy (?:violation|reason|reject|restriction|block|rule))/i,
  /\b(?:your (?:ip|host|hostname|domain|server|mail server|mta|network|isp|dns|reputation)\b)/i,
  /\byour (?:message|mail|e-?mail) (?:was|is|has been) (?:blocked|identified|flagged|considered|classified|detected)/i,
  /\b(?:relay(?:ing)?|relay access)\b[^;\n]{0,20}(?:denied|prohibited|not (?:permitted|allowed))/i,
  /\b(?:authentication|authorization) (?:is )?(?:required|failed)/i,
  /\b(?:not authori[sz]ed|unauthori[sz]ed|unauthenticated)/i,
];
const isAboutUs = (text: string) => wordsAboutUs.some((words) => words.test(text));
/** Words about volume and rate: the mailbox exists. */
const tooMuch =
  /\b(?:receiving mail (?:at a rate|too quickly)|too (?:quickly|fast|many (?:messages|mails|e-?mails|connections|recipients))|rate[ -]?limit\w*|throttl\w+|try (?:again )?later|(?:sending|daily|hourly|message) (?:rate|limit|quota)|temporar(?:y|ily))\b/i;
const noDomain =
  /\b(?:host(?: or domain)?|domain)(?: name)?\b[^.;\r\n]{0,40}\b(?:not found|unknown|does ?n[o']t exist|has no mail exchanger)|\b(?:unknown|no such) (?:host|domain)\b|\bnxdomain\b/i;

/** A reply with only the hosts of its links: a path may contain any word. */
const withoutLinks = (text: string) =>
  text.slice(0, 4000).replaceAll(/\bhttps?:\/\/([\w.-]{1,253})\S*/gi, "$1");

/** The first enhanced status code of a refusal (`5.1.1`) in a text; null if there is none. */
export function statusIn(text: string): string | null {
  return refusal.exec(text.slice(0, 4000))?.[0] ?? null;
}

/**
 * The enhanced code after the basic code in a server's own reply (`550 5.1.1`), the last of several. Null if there is none. A relay that
 * reports it may give another one.
 */
export function replyStatusIn(text: string): string | null {
  const codes = text
    .slice(0, 4000)
    .matchAll(/(?<!\d)[45]\d\d[ -]['"(#]{0,2}([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/g);
  return [...codes].at(-1)?.[1] ?? null;
}

/**
 * What a failed delivery says about its address. `hard`: it does not exist or takes no mail; `soft`: it may take mail
 * later; null if the cause is not the address. `status`: enhanced (`5.1.1`), null without one; `text`:
 * the server's reply. In this order: the classes of codes that are never about an address, words about us, about how much comes
 * and about a full mailbox, and only then codes and words for an address that does not exist.
 */
export function bounceOf(status: string | null, text: string): "hard" | "soft" | null {
  const [, kind, subject = "", detail = ""] = enhanced.exec(status ?? statusIn(text) ?? "") ?? [];
  const point = kind === undefined ? "" : `${Number(subject)}.${Number(detail)}`;
  // Policy and content (7), the message's form (6), and too large for the mailbox or the system.
  if (subject === "7" || subject === "6" || point === "2.3" || point === "3.4") return null;
  // The sender's address (RFC 3463, X.1.7 and X.1.8) and misconfigured servers (X.1.9).
  if (point === "1.7" || point === "1.8" || point === "1.9") return null;
  const reply = withoutLinks(text);
  if (isAboutUs(reply)) return null;
  if (point === mailboxFull || full.test(reply) || tooMuch.test(reply)) return "soft";
  if (kind === undefined) {
    // Exim and others give no code at all for their own findings.
    if (/(?<!\d)4\d\d(?!\d)/.test(reply)) return "soft";
    return words.test(reply) || noDomain.test(reply) ? "hard" : "soft";
  }
  if (kind !== "5") return "soft";
  if (gone.has(point)) return "hard";
  // Many servers use 5.0.0, 5.4.1 or 5.5.0 for everything and explain in the text.
  return words.test(reply) || noDomain.test(reply) ? "hard" : "soft";
}

/** Narrower than `words`: an immediate refusal may come from our own relay and be about our account there. */
const noSuchUser =
  /\b(?:no such|unknown|invalid) (?:user|mailbox|recipient)\b|\b(?:user|mailbox|recipient)\b[^.;\r\n]{0,30}\b(?:unknown|not found|does ?n[o']t exist)/i;

/** Whether an SMTP refusal says that the address does not exist: by its code (`550 5.1.1`, `5.1.10`), or by a plain 550 and its text. */
export function isAddressFault(code: string, text: string): boolean {
  const [found, kind, subject = "", detail = ""] = enhanced.exec(code.slice(0, 100)) ?? [];
  if (found !== undefined)
    return (
      kind === "5" && gone.has(`${Number(subject)}.${Number(detail)}`) && bounceOf(found, text) === "hard"
    );
  const reply = withoutLinks(text.slice(0, 1000));
  return /^55[01]$/.test(code) && noSuchUser.test(reply) && !isAboutUs(reply) && !tooMuch.test(reply);
}
