import { Plus } from "lucide-react";
import { useState } from "react";
import forms from "#ui/api/forms.json";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { SecretOnce } from "#ui/parts/over/secret-once.tsx";
import { Unpriced } from "#ui/pools/unpriced-models.tsx";
import type { Schema, Values } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";

function Fields({ pool, onKey }: { pool: Pool; onKey: (key: string | null) => void }) {
  const { id: account } = useAccount();
  const [name, setName] = useState("");
  const [values, setValues] = useState<Values>({});
  const form = useForm("createPoolKey", {
    touches: ["listPoolKeys"],
    onDone: ({ data }) => onKey(data.key),
  });
  return (
    <Form
      of={form}
      verb="Make the key"
      onSubmit={() => form.send({ params: { account, pool: pool.id }, body: { name, ...values } })}
    >
      <Field label="Name" hint="Who calls with it." fault={form.fault("name")}>
        <input required value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <SchemaForm
        schema={forms.key as Schema}
        path=""
        values={values}
        error={form.error}
        onChange={setValues}
      />
      <Unpriced pool={pool} values={values} />
    </Form>
  );
}

export function AddKey({ pool }: { pool: Pool }) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <DialogButton
        first
        title="Make a key"
        label={
          <>
            <Plus aria-hidden="true" /> New key
          </>
        }
      >
        {(close) => (
          <Fields
            pool={pool}
            onKey={(made) => {
              close();
              setSecret(made);
            }}
          />
        )}
      </DialogButton>
      {secret === null ? null : (
        <SecretOnce
          title="The pool's new key"
          secret={secret}
          line="OPENAI_API_KEY"
          onStored={() => setSecret(null)}
        />
      )}
    </>
  );
}
