// Compares what clients got, what the database says and what the provider took, marker by marker.
// Pure. Every promise that this can see broken is a line in `violations`; a run has passed when there is
// none. Its own tests plant each kind of damage and expect to see it.

import { checkInbound } from "./checker-inbound.ts";
import { checkLedgers } from "./checker-ledger.ts";
import { checkRepeats } from "./checker-repeats.ts";
import { checkWebhooks } from "./checker-webhooks.ts";
import {
  classes,
  type Evidence,
  groupBy,
  type Row,
  type SendResult,
  type Sent,
  type Taken,
} from "./evidence.ts";

export interface Verdict {
  /** Contacts whose request was answered with a 2xx. */
  acknowledged: number;
  lost: string[];
  unexpected: string[];
  /** Taken more than once, against the policy. */
  duplicates: string[];
  /** Taken more than once, as the gateway's policy says. */
  resent: number;
  /** Stored or sent without an answer to the client. */
  recovered: number;
  pending: number;
  sent: number;
  notSent: number;
  unknown: number;
  /** Different events that webhook endpoints were posted. */
  notified: number;
  /** Requests with a key that were answered more than once. */
  repeated: number;
  /** Inbound messages that the provider got rid of. */
  inbound: number;
  violations: string[];
}

/** Answers after which a sender rightly tries again: they say that nothing was taken. */
const definiteNo = new Set(["400", "429", "429-after", "503"]);

export function check(evidence: Evidence): Verdict {
  const rowsOf = groupBy(evidence.rows, (row) => row.marker ?? `no marker in ${row.id}`);
  const takenOf = groupBy(evidence.taken, (entry) => entry.marker);
  const verdict: Verdict = {
    acknowledged: 0,
    lost: [],
    unexpected: [],
    duplicates: [],
    resent: 0,
    recovered: 0,
    pending: 0,
    sent: 0,
    notSent: 0,
    unknown: 0,
    notified: new Set(evidence.posted.map(({ id }) => id)).size,
    repeated: evidence.sent.filter(({ repeat }) => (repeat?.answers.length ?? 0) > 1).length,
    inbound: evidence.handed.filter(({ taken }) => taken > 0).length,
    violations: [],
  };
  const intended = new Map<string, SendResult["kind"]>();
  for (const request of evidence.sent) {
    for (const marker of request.markers) intended.set(marker, request.result.kind);
    judgeRequest(request, rowsOf, takenOf, verdict);
  }
  for (const [marker, rows] of rowsOf) {
    if (!intended.has(marker)) verdict.unexpected.push(`${marker}: stored, but no client asked for it`);
    if (rows.length > 1) verdict.violations.push(`${marker}: stored ${rows.length} times`);
    for (const row of rows) judgeRow(row, takenOf.get(marker) ?? [], evidence, verdict);
  }
  for (const [marker, entries] of takenOf) {
    if (!intended.has(marker)) verdict.unexpected.push(`${marker}: sent, but no client asked for it`);
    else if (!rowsOf.has(marker) && intended.get(marker) !== "acknowledged")
      verdict.unexpected.push(`${marker}: sent, but not stored`);
    judgeRepeats(marker, entries, evidence.policy, verdict);
  }
  if (evidence.unknownAtMost !== null && verdict.unknown > evidence.unknownAtMost) {
    verdict.violations.push(
      `${verdict.unknown} in doubt, at most ${evidence.unknownAtMost} were on the wire`,
    );
  }
  judgeSums(evidence, verdict);
  verdict.violations.push(
    ...checkRepeats(evidence),
    ...checkLedgers(evidence),
    ...checkWebhooks(evidence),
    ...checkInbound(evidence),
  );
  for (const line of verdict.lost) verdict.violations.push(`lost: ${line}`);
  for (const line of verdict.unexpected) verdict.violations.push(`unexpected: ${line}`);
  for (const line of verdict.duplicates) verdict.violations.push(`duplicate: ${line}`);
  return verdict;
}

type Index<T> = ReadonlyMap<string, readonly T[]>;

function judgeRequest(request: Sent, rowsOf: Index<Row>, takenOf: Index<Taken>, verdict: Verdict): void {
  const { result, markers, account } = request;
  const stored = markers.filter((marker) => rowsOf.has(marker));
  for (const marker of stored) {
    for (const row of rowsOf.get(marker) ?? []) {
      if (row.account !== account)
        verdict.violations.push(`${marker}: of ${account}, shown to ${row.account}`);
    }
  }
  if (result.kind === "acknowledged") {
    verdict.acknowledged += markers.length;
    if (result.ids.length !== markers.length) {
      verdict.violations.push(`${markers[0]}…: ${markers.length} contacts, ${result.ids.length} ids`);
    }
    markers.forEach((marker, index) => {
      const row = rowsOf.get(marker)?.[0];
      if (row === undefined) {
        const sent = takenOf.has(marker) ? "it was sent, but" : "and";
        verdict.lost.push(`${marker}: acknowledged as ${result.ids[index]}, ${sent} it is not stored`);
      } else if (row.id !== result.ids[index]) {
        verdict.violations.push(`${marker}: acknowledged as ${result.ids[index]}, stored as ${row.id}`);
      }
    });
    return;
  }
  if (stored.length > 0 && stored.length < markers.length) {
    verdict.violations.push(
      `${markers[0]}…: ${stored.length} of ${markers.length} contacts of one request are stored`,
    );
  }
  if (result.kind === "none" || result.code === "commit_unknown") {
    verdict.recovered += stored.length;
  } else if (stored.length > 0) {
    verdict.violations.push(`${markers[0]}…: answered ${result.status}, yet stored`);
  }
}

function judgeRow(row: Row, entries: readonly Taken[], evidence: Evidence, verdict: Verdict): void {
  const name = `${row.marker ?? row.id} (${row.id}, ${row.status})`;
  const kind = classes[row.status];
  if (kind === undefined) {
    verdict.violations.push(`${name}: not a status`);
    return;
  }
  verdict[kind] += 1;
  if (kind === "pending" && evidence.drained)
    verdict.lost.push(`${name}: still pending after everything had its time`);
  if (kind === "sent" && entries.length === 0)
    verdict.lost.push(`${name}: counted as sent, never reached the provider`);
  if (kind === "notSent" && entries.length > 0) verdict.violations.push(`${name}: was sent all the same`);
  if ((row.status === "failed" || kind === "unknown") && row.error === null) {
    verdict.violations.push(`${name}: does not say why`);
  }
  const last = row.timeline.at(-1)?.type;
  if (last !== row.status) verdict.violations.push(`${name}: its timeline ends with ${last ?? "nothing"}`);
  const isReported = (id: string) => evidence.reported.has(id);
  const byReference = row.status === "sent" && row.reference !== null && isReported(row.reference);
  const byOurId = (row.status === "sent" || kind === "unknown") && evidence.settlesDoubt(row.gateway);
  if (byReference || (byOurId && entries.some(({ id }) => isReported(id)))) {
    verdict.violations.push(`${name}: its report was taken and changed nothing`);
  }
  for (const entry of entries) {
    if (entry.gateway !== row.gateway)
      verdict.violations.push(`${name}: of ${row.gateway}, sent by ${entry.gateway}`);
  }
}

/** A second transmission needs a definite no to the first, or the policy to resend, which does it once. */
function judgeRepeats(
  marker: string,
  entries: readonly Taken[],
  policy: Evidence["policy"],
  verdict: Verdict,
): void {
  const doubtful = entries.filter((entry) => !definiteNo.has(entry.answer));
  if (doubtful.length < 2) return;
  const gateway = doubtful[0]?.gateway ?? "";
  if (policy(gateway) === "resend" && doubtful.length === 2) verdict.resent += 1;
  else
    verdict.duplicates.push(`${marker}: taken ${doubtful.length} times by ${gateway} (${policy(gateway)})`);
}

/** accepted = pending + sent + not sent + unknown; credit used = the segments of what may have been sent. */
function judgeSums(evidence: Evidence, verdict: Verdict): void {
  const accepted = verdict.acknowledged - verdict.lost.filter((line) => line.includes("not stored")).length;
  const total = verdict.pending + verdict.sent + verdict.notSent + verdict.unknown;
  if (accepted + verdict.recovered !== total && verdict.unexpected.length === 0) {
    verdict.violations.push(
      `${accepted} + ${verdict.recovered} accepted, but ${total} in all states together`,
    );
  }
  for (const [account, used] of Object.entries(evidence.creditUsed ?? {})) {
    const owed = evidence.rows
      .filter((row) => row.account === account && classes[row.status] !== "notSent")
      .reduce((sum, row) => sum + row.segments, 0);
    if (used !== owed) verdict.violations.push(`${account}: ${used} of credit used, ${owed} due`);
  }
}
