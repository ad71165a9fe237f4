import { useNavigate } from "@tanstack/react-router";
import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import { useChange } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import type { Schema } from "#ui/schema-form/model.ts";
import { Opened } from "#ui/schema-form/opened.tsx";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";
import { PoolFrame } from "./pool-head.tsx";
import { Unpriced } from "./unpriced-models.tsx";

function Settings({ pool, reload }: { pool: Pool; reload: () => Promise<void> }) {
  const { id: account } = useAccount();
  const navigate = useNavigate();
  const form = useForm("updatePool", {
    says: "The pool's settings are saved",
    onDone: () => navigate({ to: "/a/$account/pools/$pool", params: { account, pool: pool.id } }),
  });
  const remove = useChange("deletePool");
  return (
    <ValuesForm
      of={form}
      verb="Save"
      schema={forms.pool as Schema}
      stored={pool}
      reload={reload}
      more={
        <Ask
          verb="Delete"
          label="Delete the pool…"
          title={`Delete ${pool.name}`}
          effect="Its members and keys are deleted with it. Applications that use them will be refused."
          typed={pool.name}
          run={async () => {
            form.isTouched.current = false;
            await remove.mutateAsync({ params: { account, pool: pool.id } });
            await navigate({ to: "/a/$account/pools", params: { account } });
          }}
        />
      }
      onSubmit={(changes) =>
        form.send({ params: { account, pool: pool.id }, body: { ...changes, revision: pool.revision } })
      }
      below={(values) => <Unpriced pool={pool} values={values} />}
    />
  );
}

export function Page() {
  const { id: account } = useAccount();
  return (
    <PoolFrame>
      {(pool) => (
        <Opened of={pool} read={() => call("getPool", { params: { account, pool: pool.id } })}>
          {(stored, reload) => <Settings pool={stored} reload={reload} />}
        </Opened>
      )}
    </PoolFrame>
  );
}
