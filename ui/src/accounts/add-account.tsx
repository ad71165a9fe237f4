import { useState } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";

function Fields({ onKey }: { onKey: (key: string) => void }) {
  const [name, setName] = useState("");
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [country, setCountry] = useState("");
  const form = useForm("createAccount", {
    onDone: ({ data }) => onKey(data.api_key),
  });
  return (
    <Form
      of={form}
      verb="Add the account"
      onSubmit={() =>
        form.send({ body: { name, time_zone: zone, country: country === "" ? null : country } })
      }
    >
      <Field label="Name" fault={form.fault("name")}>
        <input required value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Time zone" hint="Its people decide in it." fault={form.fault("time_zone")}>
        <input required value={zone} onChange={(event) => setZone(event.target.value)} />
      </Field>
      <Field
        label="Country"
        hint="Two letters, such as DE. Numbers without a country code are read as numbers of this country. Plan and limits are in the account's settings."
        fault={form.fault("country")}
      >
        <input
          maxLength={2}
          value={country}
          autoComplete="off"
          onChange={(event) => setCountry(event.target.value.toUpperCase())}
        />
      </Field>
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
