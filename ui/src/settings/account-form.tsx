import { useState } from "react";
import type { Account } from "#ui/api/schema.ts";
import { useSession } from "#ui/parts/account.ts";
import { Check, Field } from "#ui/parts/form/field.tsx";
import { Form, type FormState } from "#ui/parts/form/form.tsx";
import { Section } from "#ui/parts/page.tsx";

/** `account`: the stored version, on which the change is based; `isHeld`: another change of it is in progress. */
export function AccountForm({
  account,
  reload,
  form,
  isHeld,
}: {
  account: Account;
  reload: () => Promise<void>;
  form: FormState<"updateAccount">;
  isHeld: boolean;
}) {
  const { role } = useSession();
  const [zone, setZone] = useState(account.time_zone);
  const [country, setCountry] = useState(account.country ?? "");
  const [failover, setFailover] = useState(account.channel_failover);
  const [name, setName] = useState(account.name);
  const body = {
    ...(role === "operator" ? { name } : {}),
    time_zone: zone,
    country: country === "" ? null : country,
    channel_failover: failover,
    revision: account.revision,
  };
  return (
    <Section title="Account" about="Times, days and schedules without a time zone of their own use this one.">
      <Form
        of={{ ...form, isBusy: form.isBusy || isHeld }}
        verb="Save"
        reload={reload}
        onSubmit={() => form.send({ params: { account: account.id }, body })}
      >
        {role === "operator" ? (
          <Field label="Name" fault={form.fault("name")}>
            <input required value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
        ) : null}
        <Field
          label="Time zone"
          hint="Messages that are already scheduled keep their time."
          fault={form.fault("time_zone")}
        >
          <input list="zones" required value={zone} onChange={(event) => setZone(event.target.value)} />
        </Field>
        <datalist id="zones">
          {Intl.supportedValuesOf("timeZone").map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Field
          label="Country"
          hint="Two letters, such as DE. Numbers without a country code are read as numbers of this country."
          fault={form.fault("country")}
        >
          <input
            maxLength={2}
            value={country}
            onChange={(event) => setCountry(event.target.value.toUpperCase())}
          />
        </Field>
        <Check
          label="Messages may move to another gateway of their channel while theirs is paused"
          checked={failover}
          onChange={setFailover}
        />
      </Form>
    </Section>
  );
}
