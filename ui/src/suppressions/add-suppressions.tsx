import type { Channel } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channels } from "#ui/parts/channels.ts";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { number } from "#ui/words/numbers.ts";

function Fields({ onDone }: { onDone: () => void }) {
  const { id: account } = useAccount();
  const form = useForm("createSuppressions", {
    onDone: ({ data }) => {
      done(`${number(data.added)} ${data.added === 1 ? "recipient is" : "recipients are"} suppressed`);
      onDone();
    },
  });
  const { texts, field } = useTexts(form, { channel: "sms", recipients: "", note: "" });
  const body = {
    channel: texts.channel as Channel,
    recipients: texts.recipients.split(/[\s,;]+/).filter((line) => line !== ""),
    note: texts.note || null,
  };
  return (
    <Form of={form} verb="Suppress" onSubmit={() => form.send({ params: { account }, body })}>
      <Choice label="Channel" of={channels} {...field("channel")} />
      <Field
        label="Recipients"
        hint="Numbers or addresses, one per line. This account sends them nothing more."
        fault={form.fault("recipients")}
      >
        <textarea
          required
          value={texts.recipients}
          onChange={(event) => field("recipients").onChange(event.target.value)}
        />
      </Field>
      <TextField label="Note" {...field("note")} />
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
