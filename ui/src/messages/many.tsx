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

export type Results = Changed<MessageRecord> & { changed: number };

/** More rows than a person reads would keep the dialog from opening. */
const maxRows = 100;

/** What became of them, if not all were changed. */
export function ResultsDialog({ onClose, changed, ...not }: Results & { onClose: () => void }) {
  const refused = not.refused.length;
  return (
    <Dialog title="Results" onClose={onClose} broad>
      <p>{`${counted(changed)} changed${refused === 0 ? "" : `, ${counted(refused)} not`}.`}</p>
      {not.failure === null ? null : (
        <p role="alert">
          A call failed: {not.failure} Left: {counted(not.left.length)}, which are still chosen. Some may have
          been changed although the answer is missing.
        </p>
      )}
      {refused === 0 ? null : (
        <Table
          label="Messages that were not changed"
          rows={not.refused.slice(0, maxRows)}
          id={({ record }) => record.id}
          columns={[
            { head: "To", cell: ({ record }) => <Recipient of={recipientOf(record)} /> },
            { head: "Result", cell: ({ why }) => <Status of="failed">{why}</Status> },
          ]}
        />
      )}
      {refused > maxRows ? <p className="soft">These are the first {maxRows}.</p> : null}
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
      const result = await changeInParts(of, ask, setAsked);
      const changed = of.length - result.refused.length - result.left.length;
      if (changed === of.length) done(`${counted(changed)} changed`);
      else onResults({ ...result, changed });
      clear(result.left.map(({ id }) => id));
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
    <div className="stack tight">
      <p role="status">
        {asked === null ? `Chosen: ${some.join(", ")}.` : `${number(asked)} of ${counted(of.length)} so far…`}
      </p>
      {effect === "" ? null : <p>{effect}</p>}
    </div>
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
