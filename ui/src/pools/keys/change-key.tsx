// Changes of what a key may do.

import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import type { Pool, PoolKey } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
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
  const form = useForm("updatePoolKey", { says: `${of.name} is saved`, onDone });
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
