// What an account may do: its plan and its pace, which operators set, and what its own people may bound.

import { useState } from "react";
import forms from "#ui/api/forms.json";
import type { Account } from "#ui/api/schema.ts";
import { useSession } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { Section } from "#ui/parts/page.tsx";
import { changesOf, type Schema, type Values } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";

const whole: Schema = forms.account;

/** The API refuses these fields from members. */
const operatorsOnly = ["plan", "rate_limit"];

const ofMembers: Schema = {
  ...whole,
  properties: Object.fromEntries(
    Object.entries(whole.properties ?? {}).filter(([name]) => !operatorsOnly.includes(name)),
  ),
};

/** `account`: as it is stored by now, which the change is one of; `onStored` gets what this form has stored. */
export function LimitsForm({
  account,
  reload,
  onStored,
}: {
  account: Account;
  reload: () => Promise<void>;
  onStored: (account: Account) => void;
}) {
  const { role } = useSession();
  const schema = role === "operator" ? whole : ofMembers;
  const [values, setValues] = useState<Values>(account);
  const form = useForm("updateAccount", {
    touches: ["getAccount", "listAccounts", "getCredit", "listCreditEntries"],
    says: "The limits are saved",
    onDone: ({ data }) => onStored(data),
  });
  const body = { ...changesOf(schema, account, values), revision: account.revision };
  return (
    <Section title={role === "operator" ? "Plan and limits" : "Limits"}>
      <Form
        of={form}
        verb="Save the limits"
        reload={reload}
        onSubmit={() => form.send({ params: { account: account.id }, body })}
      >
        <SchemaForm schema={schema} path="" values={values} error={form.error} onChange={setValues} />
      </Form>
    </Section>
  );
}
