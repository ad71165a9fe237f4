import forms from "#ui/api/forms.json";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { Unpriced } from "#ui/pools/unpriced-models.tsx";
import type { Schema } from "#ui/schema-form/model.ts";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";

function Fields({ pool, onKey }: { pool: Pool; onKey: (key: string | null) => void }) {
  const { id: account } = useAccount();
  const form = useForm("createPoolKey", { onDone: ({ data }) => onKey(data.key) });
  const { texts, field } = useTexts(form, { name: "" });
  return (
    <ValuesForm
      of={form}
      verb="Create the key"
      schema={forms.key as Schema}
      onSubmit={(values) => form.send({ params: { account, pool: pool.id }, body: { ...texts, ...values } })}
      below={(values) => <Unpriced pool={pool} values={values} />}
    >
      <TextField label="Name" hint="Who calls with it." required {...field("name")} />
    </ValuesForm>
  );
}

export function AddKey({ pool }: { pool: Pool }) {
  return (
    <SecretButton
      adds
      title="Create a key"
      label="New key"
      secret={{ title: "The pool's new key", line: "OPENAI_API_KEY" }}
    >
      {(onKey) => <Fields pool={pool} onKey={onKey} />}
    </SecretButton>
  );
}
