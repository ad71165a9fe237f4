// What a mail server's reply, or its absence, means for a message. Before the final dot nothing can have been sent; after
// it only a complete reply is certain. The tables below list refusals that the gateway's configuration causes: treated as
// the message's, they would reject a whole backlog because of one wrong password.

import type { Outcome } from "#gateways/outcome.ts";
import { cleanText } from "#settings/redact.ts";

/** Every outcome of a mail that the server has not accepted. */
export type Failure = Exclude<Outcome, { kind: "accepted" }>;

/** The command that a reply answers. `dot`: the whole mail has been handed over. */
export type Stage = "greeting" | "hello" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "dot";

interface Reply {
  /** Three digits, the first of them 2 to 5. */
  status: number;
  /** RFC 3463, such as `5.1.1`; null if the reply has none. */
  enhanced: string | null;
  /** On one line, without the codes. */
  text: string;
}

/** Reads a reply of one or more lines; null for any other text. */
export function readReply(reply: string): Reply | null {
  const lines = reply.split(/\r?\n/).map((line) => /^([2-5]\d\d)(?:[ -](.*))?$/s.exec(line.trimEnd()));
  const last = lines.at(-1);
  if (!last || lines.some((line) => line?.[1] !== last[1])) return null;
  const pieces = lines.map((line) => /^(?:([245]\.\d{1,3}\.\d{1,3})(?: |$))?(.*)$/s.exec(line![2] ?? "")!);
  return {
    status: Number(last[1]),
    enhanced: pieces.find((piece) => piece[1] !== undefined)?.[1] ?? null,
    text: pieces
      .map((piece) => piece[2]!.trim())
      .filter((text) => text !== "")
      .join(" "),
  };
}

/**
 * The meaning of a permanent refusal (5yz): `permanent` for this message, a `configuration` that refuses every message, or `unclear` which.
 */
type Fault = "permanent" | "configuration" | "unclear";

/** By enhanced status code, at every stage. */
const faultOfEnhanced = new Map<string, Fault>([
  ["5.1.1", "permanent"], // no such mailbox
  ["5.1.2", "permanent"], // no such domain
  ["5.1.3", "permanent"], // not an address
  ["5.1.4", "permanent"], // an ambiguous address
  ["5.1.6", "permanent"], // the mailbox has moved
  ["5.1.10", "permanent"], // the domain accepts no mail
  ["5.2.0", "permanent"], // the mailbox
  ["5.2.1", "permanent"], // a mailbox that is disabled
  ["5.2.2", "permanent"], // a mailbox that is full
  ["5.4.4", "permanent"], // no route to the recipient's domain
  ["5.1.7", "configuration"], // the sender's address is not valid
  ["5.1.8", "configuration"], // the sender's domain is not valid
  ["5.2.3", "permanent"], // longer than the mailbox accepts
  ["5.3.4", "permanent"], // longer than the server accepts
  ["5.4.5", "configuration"], // Google: the day's sending limit is reached
  ["5.5.0", "configuration"], // a fault of the protocol, as 5.5.1 and 5.5.2 are
  ["5.5.1", "configuration"], // commands out of order: the session is at fault
  ["5.5.2", "configuration"], // a command was not understood
  ["5.7.0", "configuration"], // Postfix and others: sign in, or use STARTTLS, first
  ["5.7.8", "configuration"], // wrong credentials
  ["5.7.9", "configuration"], // the authentication mechanism is too weak
  ["5.7.11", "configuration"], // encryption is needed to sign in
]);

/** By basic code, if the enhanced one is not listed. */
const faultOfStatus = new Map<number, Fault>([
  [500, "configuration"], // command not known
  [502, "configuration"], // the server does not have the command
  [503, "configuration"], // commands out of order, or not signed in
  [504, "configuration"], // the server does not have the parameter
  [521, "configuration"], // the server accepts no mail at all
  [523, "permanent"], // RFC 5321 bis, mail too long
  [530, "configuration"], // sign in first
  [534, "configuration"], // the authentication mechanism is too weak
  [535, "configuration"], // wrong credentials
  [538, "configuration"], // encryption is needed to sign in
  [552, "permanent"], // too long, or the mailbox is full
  [556, "permanent"], // the recipient's domain accepts no mail
]);

/**
 * Servers delay refusals of the client and the sender until RCPT (Postfix: `smtpd_delay_reject`), with the codes of any
 * policy, so only their words distinguish these. "Relaying denied" means that the server does not accept our credentials.
 */
const configurationWords =
  /\brelay(?:ing)? (?:access )?(?:is )?(?:denied|not (?:permitted|allowed)|prohibited)|(?:unable|not (?:permitted|allowed)) to relay|\b(?:sender address|client host|helo command) rejected|authentication (?:is )?required/i;

/** Lines of more than 998 bytes, which only some servers take: of this mail alone, with codes that say otherwise. */
const contentWords = /\blines? (?:is |are )?too long|\bline length/i;

function faultOf(stage: Stage, { status, enhanced, text }: Reply): Fault {
  if (stage === "dot" && contentWords.test(text)) return "permanent";
  const known = faultOfEnhanced.get(enhanced ?? "") ?? faultOfStatus.get(status);
  if (known !== undefined) return known;
  if (stage === "rcpt" || stage === "dot")
    // 550 and 554 without an enhanced code, and 5.7.1, refuse mailboxes, contents, senders and clients alike.
    return configurationWords.test(text) ? "configuration" : "unclear";
  // So far the server knows only the message's sender, which is a setting.
  return "configuration";
}

/**
 * The progress of a transmission. Before MAIL (`session`) nothing is about a message, so no failure may be attributed to one.
 * `handed_over`: the final dot was written to the socket, so the server may have accepted the mail.
 */
type Phase = "session" | "envelope" | "handed_over";

const sessionStages: ReadonlySet<Stage> = new Set(["greeting", "hello", "starttls", "auth"]);

function phaseOf(stage: Stage): Phase {
  if (stage === "dot") return "handed_over";
  return sessionStages.has(stage) ? "session" : "envelope";
}

/**
 * In the envelope the failure counts as an attempt of this mail and does not pause the lane: some servers hang up on a
 * mail that they do not want, and as the first in the lane it would block all others.
 */
function unanswered(phase: Phase, code: string, reason: string): Failure {
  if (phase === "handed_over") return { kind: "unknown", code, reason };
  if (phase === "envelope") return { kind: "deferred", code, reason };
  return { kind: "deferred", code, reason, gatewayFault: "unreachable" };
}

/**
 * The outcome of a complete reply other than success.
 * - 4yz: `deferred`; before MAIL the server is not ready, so the lane pauses
 * - 5yz at RCPT and after the dot: `rejected`, except for the tables above; what they do not list may be the gateway's fault
 * - 5yz elsewhere: a fault of the gateway
 * - any other reply does not answer the command: treated as a lost connection
 */
export function outcomeOfReply(stage: Stage, reply: string, secrets: readonly string[]): Failure {
  const read = readReply(reply);
  if (read === null || read.status < 400) {
    const words = cleanText(reply, secrets, 120);
    const reason = `The mail server's reply does not answer the command${words === "" ? "." : `: ${words}`}`;
    return unanswered(phaseOf(stage), "bad_reply", reason);
  }
  const code = read.enhanced ?? String(read.status);
  const codes = read.enhanced === null ? code : `${read.status} ${code}`;
  const words = cleanText(read.text, secrets);
  const reason = `The mail server answered ${codes} ${whenOf[stage]}${words === "" ? "." : `: ${words}`}`;
  if (read.status < 500) {
    return phaseOf(stage) === "session"
      ? { kind: "deferred", code, reason, gatewayFault: "unreachable" }
      : { kind: "deferred", code, reason };
  }
  const fault = faultOf(stage, read);
  if (fault === "permanent") return { kind: "rejected", code, reason };
  if (fault === "unclear") return { kind: "rejected", code, reason, mayBeGatewayFault: true };
  return { kind: "deferred", code, reason, gatewayFault: "refused" };
}

const whenOf: Readonly<Record<Stage, string>> = {
  greeting: "on connecting",
  hello: "to our greeting",
  starttls: "to STARTTLS",
  auth: "on signing in",
  mail: "to the sender",
  rcpt: "to the recipient",
  data: "before the content",
  dot: "to the content",
};

/** How an exchange ended without a usable reply. */
export type Disconnect =
  | { kind: "lost"; detail: string }
  | { kind: "silent" }
  | { kind: "aborted" }
  | { kind: "tls"; detail: string };

export function outcomeOfDisconnect(
  disconnect: Disconnect,
  phase: Phase,
  secrets: readonly string[],
): Failure {
  const { code, reason } = disconnectReason(disconnect, phase, secrets);
  // We aborted it ourselves, which says nothing about the server.
  if (disconnect.kind === "aborted" && phase === "session") return { kind: "deferred", code, reason };
  return unanswered(phase, code, reason);
}

function disconnectReason(
  disconnect: Disconnect,
  phase: Phase,
  secrets: readonly string[],
): { code: string; reason: string } {
  const after =
    phase === "handed_over" ? "after the mail was handed over" : "before the mail was handed over";
  switch (disconnect.kind) {
    case "silent":
      return { code: "timeout", reason: `The mail server did not answer in time, ${after}.` };
    case "aborted":
      return { code: "aborted", reason: `The transmission was stopped ${after}.` };
    case "tls":
    case "lost": {
      const detail = cleanText(disconnect.detail, secrets, 120);
      const what =
        disconnect.kind === "tls"
          ? "No secure connection to the mail server"
          : `The connection to the mail server was lost ${after}`;
      const code = disconnect.kind === "tls" ? "tls_failed" : "connection_lost";
      return { code, reason: `${what}${detail === "" ? "." : ` (${detail}).`}` };
    }
  }
}
