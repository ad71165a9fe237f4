import { useState } from "react";
import type { Channel } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channels } from "#ui/parts/channels.ts";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { number } from "#ui/words/numbers.ts";

function Fields({ onDone }: { onDone: () => void }) {
  const { id: account } = useAccount();
  const [channel, setChannel] = useState<Channel>("sms");
  const [recipients, setRecipients] = useState("");
  const [note, setNote] = useState("");
  const form = useForm("createSuppressions", {
    onDone: ({ data }) => {
      done(`${number(data.added)} ${data.added === 1 ? "recipient is" : "recipients are"} suppressed`);
      onDone();
    },
  });
  const lines = recipients.split(/[\s,;]+/).filter((line) => line !== "");
  return (
    <Form
      of={form}
      verb="Suppress"
      onSubmit={() =>
        form.send({
          params: { account },
          body: { channel, recipients: lines, note: note === "" ? null : note },
        })
      }
    >
      <Choice
        label="Channel"
        of={channels}
        value={channel}
        onChange={(word) => setChannel(word as Channel)}
        fault={form.fault("channel")}
      />
      <Field
        label="Recipients"
        hint="Numbers or addresses, one per line. This account sends them nothing more."
        fault={form.fault("recipients")}
      >
        <textarea required value={recipients} onChange={(event) => setRecipients(event.target.value)} />
      </Field>
      <Field label="Note" fault={form.fault("note")}>
        <input value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
    </Form>
  );
}

export function AddSuppressions() {
  return (
    <DialogButton adds title="Suppress recipients" label="Suppress recipients">
      {(close) => <Fields onDone={close} />}
    </DialogButton>
  );
}
