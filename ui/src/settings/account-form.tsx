import { useState } from "react";
import type { Account } from "#ui/api/schema.ts";
import { useSession } from "#ui/parts/account.ts";
import { Check } from "#ui/parts/form/field.tsx";
import { Form, type FormState } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { Section } from "#ui/parts/page.tsx";

/** A form over an account. */
export interface OfAccount {
  /** The stored version, on which the change is based. */
  account: Account;
  reload: () => Promise<void>;
  form: FormState<"updateAccount">;
  /** Whether another change of it is in progress. */
  isHeld: boolean;
}

export function AccountForm({ account, reload, form, isHeld }: OfAccount) {
  const { role } = useSession();
  const { name, time_zone, country } = account;
  const { texts, field } = useTexts(form, { name, time_zone, country: country ?? "" });
  const [failover, setFailover] = useState(account.channel_failover);
  const body = {
    ...(role === "operator" ? { name: texts.name } : {}),
    time_zone: texts.time_zone,
    country: texts.country || null,
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
        {role === "operator" ? <TextField label="Name" required {...field("name")} /> : null}
        <TextField
          label="Time zone"
          hint="Messages that are already scheduled keep their time."
          list="zones"
          autoComplete="on"
          required
          {...field("time_zone")}
        />
        <datalist id="zones">
          {Intl.supportedValuesOf("timeZone").map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <TextField
          label="Country"
          hint="Two letters, such as DE. Numbers without a country code are read as numbers of this country."
          maxLength={2}
          {...field("country")}
          onChange={(text) => field("country").onChange(text.toUpperCase())}
        />
        <Check
          label="Messages may move to another gateway of their channel while theirs is paused"
          checked={failover}
          onChange={setFailover}
        />
      </Form>
    </Section>
  );
}
