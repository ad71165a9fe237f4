// Changes of a key: its rights, and replacing its text.

import { useState } from "react";
import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import type { Pool, PoolKey } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { Unpriced } from "#ui/pools/unpriced-models.tsx";
import type { Schema } from "#ui/schema-form/model.ts";
import { Opened } from "#ui/schema-form/opened.tsx";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";
import { nextName } from "./key-name.ts";

interface Of {
  pool: Pool;
  of: PoolKey;
}

function Fields({ pool, of, reload, onDone }: Of & { reload: () => Promise<void>; onDone: () => void }) {
  const { id: account } = useAccount();
  const form = useForm("updatePoolKey", {
    says: `${of.name} is saved`,
    onDone,
  });
  return (
    <ValuesForm
      of={form}
      verb="Save"
      schema={forms.key as Schema}
      stored={of}
      reload={reload}
      onSubmit={(changes) =>
        form.send({
          params: { account, pool: pool.id, key: of.id },
          body: { ...changes, revision: of.revision },
        })
      }
      below={(values) => <Unpriced pool={pool} values={values} />}
    />
  );
}

export function ChangeKey({ pool, of }: Of) {
  const { id: account } = useAccount();
  return (
    <DialogButton title={`What ${of.name} may do`} label="Change…">
      {(close) => (
        <Opened of={of} read={() => call("getPoolKey", { params: { account, pool: pool.id, key: of.id } })}>
          {(stored, reload) => <Fields pool={pool} of={stored} reload={reload} onDone={close} />}
        </Opened>
      )}
    </DialogButton>
  );
}

function Replacement({ pool, of, onKey }: Of & { onKey: (key: string | null) => void }) {
  const { id: account } = useAccount();
  const [name, setName] = useState(() => nextName(of.name));
  const { models, limits, budget, expires_at } = of;
  const form = useForm("createPoolKey", {
    onDone: ({ data }) => onKey(data.key),
  });
  return (
    <Form
      of={form}
      verb="Make the new key"
      onSubmit={() =>
        form.send({ params: { account, pool: pool.id }, body: { name, models, limits, budget, expires_at } })
      }
    >
      <p>
        A new key is made with the same limits, budget, models and end. Both work until you revoke the old
        one, so no call is refused while your application changes over.
      </p>
      <Field label="Name of the new key" fault={form.fault("name")}>
        <input required value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
    </Form>
  );
}

export function ReplaceKey({ pool, of }: Of) {
  return (
    <SecretButton
      title={`Replace ${of.name}`}
      label="Replace…"
      secret={{ title: "The key that replaces it", line: "OPENAI_API_KEY" }}
    >
      {(onKey) => <Replacement pool={pool} of={of} onKey={onKey} />}
    </SecretButton>
  );
}
