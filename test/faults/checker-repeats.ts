// Compares the answers of requests that were repeated under an idempotency key: one set of messages at most,
// and the same answer each time, which names that set. Pure.

import { groupBy, type Repeat, type Row, type Sent } from "./evidence.ts";

export interface RepeatEvidence {
  sent: readonly Sent[];
  rows: readonly Row[];
}

/** Every broken promise, one line each. Requests without a key are not judged here. */
export function checkRepeats({ sent, rows }: RepeatEvidence): string[] {
  const rowsOf = groupBy(rows, (row) => row.marker ?? "");
  return sent.flatMap(({ markers, repeat }) => {
    if (repeat === null) return [];
    const stored = markers.flatMap((marker) => rowsOf.get(marker) ?? []);
    return judge(repeat, markers.length, stored).map((line) => `key ${repeat.key}: ${line}`);
  });
}

function judge({ answers }: Repeat, contacts: number, stored: readonly Row[]): string[] {
  const lines: string[] = [];
  const sets = [...new Set(stored.map(({ request }) => request))];
  if (sets.length > 1) lines.push(`${sets.length} sets: ${sets.join(", ")}`);
  const accepted = answers.filter(({ status }) => status >= 200 && status < 300);
  const bodies = new Set(accepted.map(({ body }) => body));
  if (bodies.size > 1) lines.push(`${bodies.size} different answers: ${[...bodies].join(" / ")}`);
  const fresh = accepted.filter(({ replayed }) => !replayed).length;
  if (fresh > 1) lines.push(`${fresh} answers that were not replayed`);
  // The first complete answer can be a replay, because the one that accepted it got lost. None can come after a no.
  const refused = answers.find(({ status }) => status >= 400 && status < 500 && status !== 409);
  if (refused !== undefined && accepted.length > 0) lines.push(`answered 2xx and ${refused.status}`);
  if (refused?.code === "idempotency_mismatch") lines.push("its own request again was called another one");
  const named = [...new Set(accepted.map(({ request }) => request))];
  for (const request of named) {
    const count = stored.filter((row) => row.request === request).length;
    if (count !== contacts) lines.push(`answered as ${request}, of which ${count} of ${contacts} are stored`);
  }
  return lines;
}
