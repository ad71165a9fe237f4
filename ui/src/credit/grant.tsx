import type { Channel } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channelNames } from "#ui/parts/channels.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { number } from "#ui/words/numbers.ts";

function Fields({ channel, onDone }: { channel: Channel; onDone: () => void }) {
  const { id: account } = useAccount();
  const form = useForm("grantCredit", {
    onDone: ({ data }) => {
      done(`${number(data.remaining)} remain for ${channelNames[channel]}`);
      onDone();
    },
  });
  const { texts, field } = useTexts(form, { amount: "", note: "" });
  const body = { channel, amount: Number(texts.amount), note: texts.note || null };
  return (
    <Form of={form} verb="Grant" onSubmit={() => form.send({ params: { account }, body })}>
      <TextField
        label="Amount"
        hint="A negative amount takes credit away."
        type="number"
        required
        {...field("amount")}
      />
      <TextField label="Note" hint="It is in the ledger." {...field("note")} />
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
