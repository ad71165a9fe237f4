// An account's limits: its plan and its rate, which operators set, and those that its own people may set.

import { useState } from "react";
import forms from "#ui/api/forms.json";
import { useSession } from "#ui/parts/account.ts";
import { Form } from "#ui/parts/form/form.tsx";
import { Section } from "#ui/parts/page.tsx";
import { changesOf, type Schema, type Values } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";
import { titlesOf } from "#ui/schema-form/words.ts";
import type { OfAccount } from "./account-form.tsx";

const whole: Schema = forms.account;

/** The API refuses these fields from members. */
const operatorsOnly = ["plan", "rate_limit"];

const ofMembers: Schema = {
  ...whole,
  properties: Object.fromEntries(
    Object.entries(whole.properties ?? {}).filter(([name]) => !operatorsOnly.includes(name)),
  ),
};

export function LimitsForm({ account, reload, form, isHeld }: OfAccount) {
  const { role } = useSession();
  const schema = role === "operator" ? whole : ofMembers;
  const [values, setValues] = useState<Values>(account);
  const body = { ...changesOf(schema, account, values), revision: account.revision };
  return (
    <Section
      title={role === "operator" ? "Plan and limits" : "Limits"}
      about="How much the account may send and request. A request over a limit is refused as a whole."
    >
      <Form
        of={{ ...form, isBusy: form.isBusy || isHeld }}
        verb="Save the limits"
        titleOf={titlesOf(schema)}
        reload={reload}
        onSubmit={() => form.send({ params: { account: account.id }, body })}
      >
        {/* Its fields are reset to the stored values: unsent input would be lost. */}
        <fieldset className="plain" disabled={form.isBusy}>
          <SchemaForm schema={schema} path="" values={values} error={form.error} onChange={setValues} />
        </fieldset>
      </Form>
    </Section>
  );
}
