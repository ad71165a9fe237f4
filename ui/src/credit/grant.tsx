import { useState } from "react";
import type { Channel } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channelNames } from "#ui/parts/channels.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { number } from "#ui/words/numbers.ts";

function Fields({ channel, onDone }: { channel: Channel; onDone: () => void }) {
  const { id: account } = useAccount();
  const [amount, setAmount] = useState("");
  const [note, setNote] = useState("");
  const form = useForm("grantCredit", {
    onDone: ({ data }) => {
      done(`${number(data.remaining)} remain for ${channelNames[channel]}`);
      onDone();
    },
  });
  const body = { channel, amount: Number(amount), note: note === "" ? null : note };
  return (
    <Form of={form} verb="Grant" onSubmit={() => form.send({ params: { account }, body })}>
      <Field label="Amount" hint="A negative amount takes credit away." fault={form.fault("amount")}>
        <input type="number" required value={amount} onChange={(event) => setAmount(event.target.value)} />
      </Field>
      <Field label="Note" hint="It is in the ledger." fault={form.fault("note")}>
        <input value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
    </Form>
  );
}

export function Grant({ channel }: { channel: Channel }) {
  return (
    <DialogButton adds title={`Grant credit for ${channelNames[channel]}`} label="Grant credit">
      {(close) => <Fields channel={channel} onDone={close} />}
    </DialogButton>
  );
}
