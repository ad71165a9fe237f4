// Actions on several messages at once, and what became of them.

import { useState } from "react";
import { call } from "#ui/api/client.ts";
import { queryClient } from "#ui/api/queries.ts";
import type { ChangeAccountMessagesRequest, MessageRecord } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Table } from "#ui/parts/list/table.tsx";
import { Ask, typedFor } from "#ui/parts/over/ask.tsx";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { Foot } from "#ui/parts/over/foot.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Recipient } from "#ui/parts/recipient.tsx";
import { Status } from "#ui/parts/status.tsx";
import { number } from "#ui/words/numbers.ts";
import { type Changed, changeInParts } from "./in-parts.ts";
import { Move } from "./move.tsx";
import { answers, canBeCancelled, counted, dueOf, recipientOf } from "./words.ts";

export interface Results extends Pick<Changed, "failure"> {
  changed: number;
  refused: readonly { record: MessageRecord; why: string }[];
  left: number;
}

/** More rows than a person reads would keep the dialog from opening. */
const maxRows = 100;

/** What became of them, if not all were changed. */
export function ResultsDialog({
  changed,
  refused,
  left,
  failure,
  onClose,
}: Results & { onClose: () => void }) {
  return (
    <Dialog title="Results" onClose={onClose} broad>
      <p>{`${counted(changed)} changed${refused.length === 0 ? "" : `, ${counted(refused.length)} not`}.`}</p>
      {failure === null ? null : (
        <p role="alert">
          A call failed: {failure} Left: {counted(left)}, which are still chosen. What was changed without an
          answer is not changed twice.
        </p>
      )}
      {refused.length === 0 ? null : (
        <Table
          label="Messages that were not changed"
          rows={refused.slice(0, maxRows)}
          id={({ record }) => record.id}
          columns={[
            { head: "To", cell: ({ record }) => <Recipient of={recipientOf(record)} /> },
            { head: "Result", cell: ({ why }) => <Status of="failed">{why}</Status> },
          ]}
        />
      )}
      {refused.length > maxRows ? <p className="soft">These are the first {maxRows}.</p> : null}
      <Foot verb="Close" look="quiet" onAct={onClose} />
    </Dialog>
  );
}

/** `onResults`: receives what became of them if some were not changed. */
export function ManyActions({
  chosen,
  clear,
  onResults,
}: {
  chosen: readonly MessageRecord[];
  clear: (left: readonly string[]) => void;
  onResults: (results: Results) => void;
}) {
  const { id: account } = useAccount();
  const [asked, setAsked] = useState<number | null>(null);
  const apply = async (what: Omit<ChangeAccountMessagesRequest, "ids">, of: readonly MessageRecord[]) => {
    const ask = async (ids: string[]) =>
      (await call("changeAccountMessages", { params: { account }, body: { ...what, ids } })).data.refused;
    try {
      const { why, left, failure } = await changeInParts(
        of.map(({ id }) => id),
        ask,
        setAsked,
      );
      const refused = of.flatMap((record) => {
        const text = why.get(record.id);
        return text === undefined ? [] : [{ record, why: text }];
      });
      const changed = of.length - refused.length - left.length;
      if (changed === of.length) done(`${counted(changed)} changed`);
      else onResults({ changed, refused, left: left.length, failure });
      clear(left);
    } finally {
      setAsked(null);
      // Once, since each part would read everything on the screen again.
      void queryClient.invalidateQueries();
    }
  };
  const run = (action: ChangeAccountMessagesRequest["action"], of: readonly MessageRecord[]) => () =>
    apply({ action }, of);
  const waiting = chosen.filter(canBeCancelled);
  const unknown = chosen.filter(({ status }) => status === "unknown");
  const among = [
    [waiting.length, "that can be cancelled or rescheduled"],
    [unknown.length, "with an unknown outcome"],
    [chosen.length - waiting.length - unknown.length, "that cannot be changed now"],
  ] as const;
  const some = among.flatMap(([count, which]) => (count === 0 ? [] : [`${number(count)} ${which}`]));
  /** What is among the chosen ones, or how far the change of `of` is. */
  const effectOn = (of: readonly MessageRecord[], effect = "") => (
    <>
      <p role="status">
        {asked === null ? `Chosen: ${some.join(", ")}.` : `${number(asked)} of ${counted(of.length)} so far…`}
      </p>
      {effect === "" ? null : <p>{effect}</p>}
    </>
  );
  return (
    <>
      {waiting.length === 0 ? null : (
        <Move
          label={`Reschedule ${number(waiting.length)}…`}
          title={`Reschedule ${counted(waiting.length)} to the same time`}
          verb={`Reschedule ${counted(waiting.length)}`}
          from={waiting[0] === undefined ? null : dueOf(waiting[0])}
          effect={effectOn(waiting)}
          {...typedFor(waiting.length)}
          run={(schedule_at) => apply({ action: "reschedule", schedule_at }, waiting)}
        />
      )}
      {waiting.length === 0 ? null : (
        <Ask
          verb={`Cancel ${counted(waiting.length)}`}
          label={`Cancel ${number(waiting.length)}…`}
          title="Cancel unsent messages"
          effect={effectOn(
            waiting,
            "They will not be sent, and their credit is returned. Messages that are sent in the meantime are not affected.",
          )}
          {...typedFor(waiting.length)}
          run={run("cancel", waiting)}
        />
      )}
      {unknown.length === 0
        ? null
        : answers.map(([answer, verb, effect]) => (
            <Ask
              key={answer}
              verb={`${verb}: ${counted(unknown.length)}`}
              label={`${verb}…`}
              title={verb}
              effect={effectOn(unknown, `For ${counted(unknown.length)} whose outcome is unknown. ${effect}`)}
              grave={answer === "send_again"}
              {...typedFor(unknown.length)}
              run={run(answer, unknown)}
            />
          ))}
      {waiting.length + unknown.length > 0 ? null : (
        <span className="soft">What has ended cannot be changed.</span>
      )}
    </>
  );
}
