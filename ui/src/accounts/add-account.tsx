import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";

function Fields({ onKey }: { onKey: (key: string) => void }) {
  const form = useForm("createAccount", { onDone: ({ data }) => onKey(data.api_key) });
  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions();
  const { texts, field } = useTexts(form, { name: "", time_zone, country: "" });
  const body = { ...texts, country: texts.country || null };
  return (
    <Form of={form} verb="Add the account" onSubmit={() => form.send({ body })}>
      <TextField label="Name" required {...field("name")} />
      <TextField label="Time zone" hint="Its people decide in it." required {...field("time_zone")} />
      <TextField
        label="Country"
        hint="Two letters, such as DE. Numbers without a country code are read as numbers of this country. Plan and limits are in the account's settings."
        maxLength={2}
        {...field("country")}
        onChange={(text) => field("country").onChange(text.toUpperCase())}
      />
    </Form>
  );
}

export function AddAccount() {
  return (
    <SecretButton
      adds
      title="Add an account"
      label="Add an account"
      secret={{ title: "The account's API key", line: "TRUNKLINE_API_KEY" }}
    >
      {(onKey) => <Fields onKey={onKey} />}
    </SecretButton>
  );
}
