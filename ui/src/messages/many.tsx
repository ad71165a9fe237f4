// Actions on several messages at once: one call, and the result for each.

import { useChange } from "#ui/api/queries.ts";
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
import { changeInParts } from "./in-parts.ts";
import { Move } from "./move.tsx";
import { answers, canBeCancelled, counted, dueOf, recipientOf } from "./words.ts";

export interface Results {
  changed: readonly MessageRecord[];
  refused: readonly { record: MessageRecord; why: string }[];
}

/** The result for each, if not all were changed. */
export function ResultsDialog({ changed, refused, onClose }: Results & { onClose: () => void }) {
  return (
    <Dialog title="Results" onClose={onClose} broad>
      <p>
        {counted(changed.length)} changed, {counted(refused.length)} not.
      </p>
      <Table
        label="Result of each message"
        rows={[...refused, ...changed.map((record) => ({ record, why: null }))]}
        id={({ record }) => record.id}
        columns={[
          { head: "To", cell: ({ record }) => <Recipient of={recipientOf(record)} /> },
          {
            head: "Result",
            cell: ({ why }) =>
              why === null ? <Status of="ok">changed</Status> : <Status of="failed">{why}</Status>,
          },
        ]}
      />
      <Foot verb="Close" look="quiet" onAct={onClose} />
    </Dialog>
  );
}

/** `onResults`: receives the result for each if some were not changed. */
export function ManyActions({
  chosen,
  clear,
  onResults,
}: {
  chosen: readonly MessageRecord[];
  clear: () => void;
  onResults: (results: Results) => void;
}) {
  const { id: account } = useAccount();
  const change = useChange("changeAccountMessages");
  const apply = async (what: Omit<ChangeAccountMessagesRequest, "ids">, of: readonly MessageRecord[]) => {
    const why = await changeInParts(
      of.map(({ id }) => id),
      async (ids) => (await change.mutateAsync({ params: { account }, body: { ...what, ids } })).data.refused,
    );
    const changed = of.filter(({ id }) => !why.has(id));
    const refused = of.flatMap((record) => {
      const text = why.get(record.id);
      return text === undefined ? [] : [{ record, why: text }];
    });
    if (refused.length === 0) done(`${counted(changed.length)} changed`);
    else onResults({ changed, refused });
    clear();
  };
  const run = (action: ChangeAccountMessagesRequest["action"], of: readonly MessageRecord[]) => () =>
    apply({ action }, of);
  const waiting = chosen.filter(canBeCancelled);
  const unknown = chosen.filter(({ status }) => status === "unknown");
  return (
    <>
      {waiting.length === 0 ? null : (
        <Move
          label={`Reschedule ${number(waiting.length)}…`}
          title={`Reschedule ${counted(waiting.length)} to the same time`}
          verb={`Reschedule ${counted(waiting.length)}`}
          from={waiting[0] === undefined ? null : dueOf(waiting[0])}
          {...typedFor(waiting.length)}
          run={(schedule_at) => apply({ action: "reschedule", schedule_at }, waiting)}
        />
      )}
      {waiting.length === 0 ? null : (
        <Ask
          verb={`Cancel ${counted(waiting.length)}`}
          label={`Cancel ${number(waiting.length)}…`}
          title="Cancel unsent messages"
          effect="They will not be sent, and their credit is returned. Messages that are sent in the meantime are not affected."
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
              effect={`For ${counted(unknown.length)} whose outcome is unknown. ${effect}`}
              grave={answer === "send_again"}
              run={run(answer, unknown)}
            />
          ))}
      {waiting.length + unknown.length > 0 ? null : (
        <span className="soft">What has ended cannot be changed.</span>
      )}
    </>
  );
}
