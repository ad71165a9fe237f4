// What the send endpoints of all channels share: reading contacts in slices, handing them to acceptance, and telling
// what became of them.

import type { Issue } from "#contract/issue.ts";
import type { Send } from "#contract/messages/contacts.ts";
import { idempotencyMismatch, type Problem, problem, validationFailed } from "#contract/problem.ts";
import { sentences } from "#contract/wording.ts";
import { idempotencyKey } from "#http/auth/idempotency-key.ts";
import type { AccountCall } from "#http/call.ts";
import type { AcceptResult, IdempotencyRequest } from "#messaging/accept/accept.ts";
import type { Clock } from "#runtime/runtime.ts";

/** The problems that every send may meet. */
export const sendProblems = [
  "malformed_body",
  "insufficient_credit",
  "request_timeout",
  "body_too_large",
  "unsupported_media_type",
  "idempotency_in_progress",
  "unavailable",
  "commit_unknown",
] as const;

/** Reads contacts; between slices of them other requests get their turn. */
export async function inSlices<T>(slices: Generator<void, T, void>, clock: Clock): Promise<T> {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await clock.sleep(0);
  }
}

/** Naming ten of the files is help enough. */
const filesNamed = 10;

/** A client that sends a file where none is taken should hear of it rather than believe that it went along. */
export function fileIssues(files: readonly string[]): Issue[] {
  return files.slice(0, filesNamed).map((name) => {
    const path = [name.replace(/\[\]$/, "").replace(/\]?\[/g, ".").replace(/\]$/, "")];
    return { path, message: sentences.notAFile(path) };
  });
}

/** A channel's send, and what it needs to be answered. */
export interface Sending<Draft> {
  /** The endpoint's path, which an `Idempotency-Key` holds for. */
  path: string;
  /** The credit's unit, as the answer calls it. */
  credit: string;
  send: Send<Draft>;
  /** Recipients as they were given. */
  recipientOf(contact: Draft): string | undefined;
  accept(send: Send<Draft>, repeatable: IdempotencyRequest | null): Promise<AcceptResult>;
}

/** A send that was accepted, now or under its key before. */
export interface SentReply {
  headers: { "Idempotent-Replayed": "true" } | undefined;
  requestId: string;
  contacts: { given: string; status: "queued" | "scheduled"; id: string }[];
}

/** Has a send accepted. */
export async function sendContacts<Draft>(
  call: AccountCall,
  { path, credit, send, recipientOf: given, accept }: Sending<Draft>,
): Promise<SentReply | Problem> {
  const key = idempotencyKey(call.request);
  const issues = [...send.issues, ...(typeof key === "object" && key ? [key] : [])];
  // Without a single contact there is nothing that the account could add.
  if (send.contacts.length === 0) return validationFailed(issues);
  const repeatable = typeof key === "string" && issues.length === 0 ? { path, key } : null;
  const result = await accept({ ...send, issues }, repeatable);
  if (result.kind === "invalid") return validationFailed([...issues, ...result.issues]);
  if (issues.length > 0) {
    if (result.kind === "accepted") throw new Error("A send with faults was accepted.");
    return validationFailed(issues);
  }
  if (result.kind !== "accepted" && result.kind !== "replayed") return refused(result, credit);
  const replayed = result.kind === "replayed";
  const contacts = result.ids.map((id, at) => ({
    given: (replayed ? result.numbers[at] : given(send.contacts[at]!)) ?? "",
    status: result.statuses[at]!,
    id,
  }));
  return {
    headers: replayed ? { "Idempotent-Replayed": "true" } : undefined,
    requestId: result.requestId,
    contacts,
  };
}

function refused(
  result: Exclude<AcceptResult, { kind: "accepted" | "replayed" | "invalid" }>,
  credit: string,
): Problem {
  switch (result.kind) {
    case "mismatch":
      return idempotencyMismatch();
    case "in_progress":
      return problem("idempotency_in_progress", { retryAfterMs: 1_000 });
    case "insufficient_credit":
      return problem("insufficient_credit", {
        message: `This request needs ${result.needed} ${credit} credits, and ${result.remaining} remain. Nothing was accepted.`,
      });
    case "unavailable":
    case "commit_unknown":
      return problem(result.kind, { retryAfterMs: result.retryAfterMs });
  }
}
