// Changes of a key: its rights, and replacing its text.

import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import { useRead } from "#ui/api/queries.ts";
import type { Pool, PoolKey } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { overlaps, Renew } from "#ui/parts/form/renew.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { Unpriced } from "#ui/pools/unpriced-models.tsx";
import type { Schema } from "#ui/schema-form/model.ts";
import { Opened } from "#ui/schema-form/opened.tsx";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";

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

function Rotation({ pool, of, onKey }: Of & { onKey: (key: string | null) => void }) {
  const { id: account } = useAccount();
  const params = { account, pool: pool.id, key: of.id };
  // The time of last use must be current.
  const { data: now } = useRead("getPoolKey", { params });
  const form = useForm("rotatePoolKey", { onDone: ({ data }) => onKey(data.key) });
  return (
    <Renew
      of={form}
      verb="Rotate the key"
      name={of.name}
      hours={overlaps}
      lastUsedAt={(now?.data ?? of).last_used_at}
      onSubmit={(hours) => form.send({ params, body: { old_works_hours: hours } })}
    />
  );
}

export function RotateKey({ pool, of }: Of) {
  return (
    <SecretButton
      title={`Rotate ${of.name}`}
      label="Rotate…"
      secret={{ title: `The new text of ${of.name}`, line: "OPENAI_API_KEY" }}
    >
      {(onKey) => <Rotation pool={pool} of={of} onKey={onKey} />}
    </SecretButton>
  );
}
