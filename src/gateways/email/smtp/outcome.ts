// What a mail server's reply, or its absence, means for a message. Before the final dot nothing can have been sent;
// from then on only a complete reply tells. The exceptions below are for refusals that are the gateway's own: taken
// for the message's, they would reject a whole backlog because of one wrong password.

import type { Outcome } from "#gateways/gateway.ts";
import { cleanText } from "#gateways/http-outcome.ts";

/** What was answered, or was waited for. `dot`: the mail has been handed over whole. */
export type Stage = "greeting" | "hello" | "starttls" | "auth" | "mail" | "rcpt" | "data" | "dot";

export interface Reply {
  /** Three digits, the first of them 2 to 5. */
  status: number;
  /** RFC 3463, such as `5.1.1`; null: the server gives none. */
  enhanced: string | null;
  /** On one line, without the codes. */
  text: string;
}

/** Reads a reply of one or more lines; null when it is none. */
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

/** Whose fault a refusal for good (5yz) is. */
type Fault = "permanent" | "configuration";

/** By enhanced status code, whatever the stage. */
const faultOfEnhanced = new Map<string, Fault>([
  ["5.1.7", "configuration"], // the sender's address is not valid
  ["5.1.8", "configuration"], // the sender's domain is not valid
  ["5.2.3", "permanent"], // longer than the mailbox takes
  ["5.3.4", "permanent"], // longer than the server takes
  ["5.4.5", "configuration"], // Google: the day's sending limit is reached
  ["5.5.0", "configuration"], // a fault of the protocol, as 5.5.1 and 5.5.2 are
  ["5.5.1", "configuration"], // commands out of order: the session is at fault
  ["5.5.2", "configuration"], // a command was not understood
  ["5.7.0", "configuration"], // Postfix and others: sign in, or use STARTTLS, first
  ["5.7.8", "configuration"], // wrong credentials
  ["5.7.9", "configuration"], // the way of signing in is too weak
  ["5.7.11", "configuration"], // encryption is needed to sign in
]);

/** By basic code, where the enhanced one says nothing. */
const faultOfStatus = new Map<number, Fault>([
  [500, "configuration"], // command not known
  [502, "configuration"], // the server does not have the command
  [503, "configuration"], // commands out of order, or not signed in
  [504, "configuration"], // the server does not have the parameter
  [521, "configuration"], // the server takes no mail at all
  [523, "permanent"], // RFC 5321 bis, mail too long
  [530, "configuration"], // sign in first
  [534, "configuration"], // the way of signing in is too weak
  [535, "configuration"], // wrong credentials
  [538, "configuration"], // encryption is needed to sign in
  [552, "permanent"], // too long, or the mailbox is full
]);

/**
 * Servers put off refusals of the client and the sender until RCPT (Postfix: `smtpd_delay_reject`), with the codes of
 * any policy; their words tell. Relaying denied means that this server does not take us for its customer.
 */
const gatewayWords =
  /\brelay(?:ing)? (?:access )?(?:is )?(?:denied|not (?:permitted|allowed)|prohibited)|(?:unable|not (?:permitted|allowed)) to relay|\b(?:sender address|client host|helo command) rejected|authentication (?:is )?required/i;

function faultOf(stage: Stage, { status, enhanced, text }: Reply): Fault {
  const known = faultOfEnhanced.get(enhanced ?? "") ?? faultOfStatus.get(status);
  if (known !== undefined) return known;
  if (stage === "rcpt" || stage === "dot") return gatewayWords.test(text) ? "configuration" : "permanent";
  // The server knows nothing of the message yet but who it is from, and that is the gateway.
  return "configuration";
}

/**
 * How far a hand-over had come. Until MAIL (`session`) nothing is about a message, so no message may be blamed for how
 * it goes. `handed_over`: the final dot was given to the socket, so the server may have taken the mail.
 */
export type Phase = "session" | "envelope" | "handed_over";

const ofSession: ReadonlySet<Stage> = new Set(["greeting", "hello", "starttls", "auth"]);

function phaseOf(stage: Stage): Phase {
  if (stage === "dot") return "handed_over";
  return ofSession.has(stage) ? "session" : "envelope";
}

/**
 * In the envelope it is this one mail's try and no reason to stop the lane: some servers hang up on a mail that they
 * do not want, and as the first in the lane it would keep all others waiting.
 */
function unanswered(phase: Phase, code: string, reason: string): Outcome {
  if (phase === "handed_over") return { kind: "unknown", code, reason };
  if (phase === "envelope") return { kind: "deferred", code, reason };
  return { kind: "deferred", code, reason, gatewayFault: "unreachable" };
}

/**
 * The outcome of a complete reply that is not the one hoped for.
 * - 4yz: `deferred`; before MAIL it is the server that is not ready, so the lane waits for it
 * - 5yz at RCPT and after the dot: `rejected`, but for the exceptions above
 * - 5yz elsewhere: the gateway is refused
 * - anything else is no answer to what was asked: as if the connection had been lost
 */
export function outcomeOfReply(stage: Stage, reply: string, secrets: readonly string[]): Outcome {
  const read = readReply(reply);
  if (read === null || read.status < 400) {
    const words = cleanText(reply, secrets, 120);
    const reason = `The mail server's answer makes no sense here${words === "" ? "." : `: ${words}`}`;
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
  if (faultOf(stage, read) === "permanent") return { kind: "rejected", code, reason };
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

/** How an exchange ended without a reply that counts. */
export type Loss =
  | { kind: "lost"; detail: string }
  | { kind: "silent" }
  | { kind: "aborted" }
  | { kind: "tls"; detail: string };

export function outcomeOfLoss(loss: Loss, phase: Phase, secrets: readonly string[]): Outcome {
  const { code, reason } = wordsOf(loss, phase, secrets);
  // We ended it ourselves; that says nothing about the server.
  if (loss.kind === "aborted" && phase === "session") return { kind: "deferred", code, reason };
  return unanswered(phase, code, reason);
}

function wordsOf(loss: Loss, phase: Phase, secrets: readonly string[]): { code: string; reason: string } {
  const after =
    phase === "handed_over" ? "after the mail was handed over" : "before the mail was handed over";
  switch (loss.kind) {
    case "silent":
      return { code: "timeout", reason: `The mail server did not answer in time, ${after}.` };
    case "aborted":
      return { code: "aborted", reason: `It was stopped ${after}.` };
    case "tls":
    case "lost": {
      const detail = cleanText(loss.detail, secrets, 120);
      const what =
        loss.kind === "tls"
          ? "No secure connection to the mail server"
          : `The connection to the mail server was lost ${after}`;
      const code = loss.kind === "tls" ? "tls_failed" : "connection_lost";
      return { code, reason: `${what}${detail === "" ? "." : ` (${detail}).`}` };
    }
  }
}
