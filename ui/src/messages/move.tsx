// Moves waiting messages to another time, entered on the account's clocks.

import { type ReactNode, useRef, useState } from "react";
import { ApiError } from "#ui/api/client.ts";
import { useChange } from "#ui/api/queries.ts";
import type { MessageRecord } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { Choices } from "#ui/parts/form/choices.tsx";
import { faultAt } from "#ui/parts/form/field.tsx";
import { Form } from "#ui/parts/form/form.tsx";
import { LocalTime } from "#ui/parts/form/local-time.tsx";
import { Ask, Typed } from "#ui/parts/over/ask.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { inGroups } from "#ui/words/numbers.ts";
import { localIn, nextHourIn, scheduleAtOf } from "#ui/words/spans.ts";
import { dueOf, recipientOf } from "./words.ts";

interface Moves {
  label: ReactNode;
  title: string;
  verb: string;
  /** The initial time, epoch ms. */
  from: number | null;
  /** Text to type for confirmation, since many are affected. */
  typed?: string;
  effect?: ReactNode;
  /** `scheduleAt` null: at once. */
  run: (scheduleAt: string | null) => Promise<unknown>;
}

function MoveForm({ verb, from, typed, effect, run, close }: Moves & { close: () => void }) {
  const zone = useZone();
  const [isTimed, setTimed] = useState(true);
  const [local, setLocal] = useState(() => {
    const next = nextHourIn(zone, Date.now());
    const own = from === null ? next : localIn(from, zone);
    return own > next ? own : next;
  });
  const [text, setText] = useState("");
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isTouched = useRef(false);
  const send = async () => {
    if (typed !== undefined && text !== typed) return;
    setBusy(true);
    try {
      await run(isTimed ? scheduleAtOf(local) : null);
      isTouched.current = false;
      close();
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      setBusy(false);
    }
  };
  return (
    <Form of={{ error, isBusy, isTouched }} verb={verb} onSubmit={() => void send()}>
      {effect}
      <Choices
        label="When"
        of={[
          ["at", "At a time"],
          ["now", "At once"],
        ]}
        value={isTimed ? "at" : "now"}
        onChange={(when) => setTimed(when === "at")}
      />
      {isTimed ? <LocalTime value={local} fault={faultAt(error, "schedule_at")} onChange={setLocal} /> : null}
      {typed === undefined ? null : <Typed of={typed} value={text} onChange={setText} />}
    </Form>
  );
}

/** A button that asks for the new time. */
export function Move(moves: Moves) {
  return (
    <DialogButton label={moves.label} title={moves.title}>
      {(close) => <MoveForm {...moves} close={close} />}
    </DialogButton>
  );
}

/** Moves or cancels one message that waits; its previous time can be restored. */
export function WaitingActions({ record }: { record: MessageRecord }) {
  const { id: account } = useAccount();
  const change = useChange("rescheduleAccountMessage");
  const cancel = useChange("cancelAccountMessage");
  const params = { account, message: record.id };
  const move = (schedule_at: string | null) => change.mutateAsync({ params, body: { schedule_at } });
  const { schedule_at: before } = record;
  return (
    <>
      <Move
        label="Reschedule…"
        title={`Move the message to ${inGroups(recipientOf(record))}`}
        verb="Reschedule"
        from={dueOf(record)}
        run={async (at) => {
          await move(at);
          done("The message was rescheduled", before === null ? undefined : () => move(before));
        }}
      />
      <Ask
        verb="Cancel the message"
        label="Cancel…"
        title="Cancel this message"
        effect={`It will not be sent to ${inGroups(recipientOf(record))}. Its credit is returned.`}
        run={async () => {
          await cancel.mutateAsync({ params });
          done("The message was cancelled");
        }}
      />
    </>
  );
}
