// The row of a request in a list: how many of its messages wait, from when to when, and the actions on all of them.

import { call } from "#ui/api/client.ts";
import { usePaced } from "#ui/api/queries.ts";
import { counted, dueOf } from "#ui/messages/words.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { clockOf, dayOf, exactClockOf, spanOf } from "#ui/words/spans.ts";
import type { Line } from "./folds.ts";
import { RequestActions } from "./request-actions.tsx";

type Folded = Extract<Line, { kind: "request" }>;

/** A list may have many such rows: each is read at its own interval, and without the expensive parts. */
const paceMs = 30_000;

const useRequest = (request: string) => {
  const { id: account } = useAccount();
  const params = { account, request };
  return usePaced("getAccountRequest", ["in a list", params], paceMs, (signal) =>
    call("getAccountRequest", { params, query: { estimate: "false" }, signal }),
  ).data?.data;
};

/** When its first message is due, and its last one if that is another time. */
export function FoldedDue({ line }: { line: Folded }) {
  const zone = useZone();
  const due = useRequest(line.request)?.due;
  const first = due ? Date.parse(due.first) : dueOf(line.first);
  if (first === null) return null;
  const last = due ? Date.parse(due.last) : first;
  const isOneDay = dayOf(first, zone) === dayOf(last, zone);
  const text =
    first === last
      ? exactClockOf(first, zone)
      : isOneDay
        ? `${clockOf(first, zone)}–${clockOf(last, zone)}`
        : spanOf(first, last, zone);
  return (
    <span className="whole" title={due ? `${due.first} to ${due.last} (shown in ${zone})` : undefined}>
      {text}
    </span>
  );
}

/** A link to the request. Until that is read, it shows the number of messages that the list has read. */
export function FoldedName({ line }: { line: Folded }) {
  const { id: account } = useAccount();
  const waiting = useRequest(line.request)?.waiting ?? line.read;
  return (
    <RowLink to="/a/$account/requests/$request" params={{ account, request: line.request }}>
      {counted(waiting)} of one request
    </RowLink>
  );
}

export function FoldedActions({ line, onOpen }: { line: Folded; onOpen: (isOpen: boolean) => void }) {
  const request = useRequest(line.request);
  return (
    <span className="row">
      <Button aria-expanded={line.isOpen} onClick={() => onOpen(!line.isOpen)}>
        {line.isOpen ? "Fold" : "Show each"}
      </Button>
      {request === undefined ? null : <RequestActions request={request} />}
    </span>
  );
}
