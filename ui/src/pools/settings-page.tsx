import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import { useChange } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { changesOf, type Schema, type Values } from "#ui/schema-form/model.ts";
import { Opened } from "#ui/schema-form/opened.tsx";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";
import { PoolFrame } from "./pool-head.tsx";
import { Unpriced } from "./unpriced-models.tsx";

const schema = forms.pool as Schema;

function Settings({ pool, reload }: { pool: Pool; reload: () => Promise<void> }) {
  const { id: account } = useAccount();
  const navigate = useNavigate();
  const [values, setValues] = useState<Values>(pool);
  const form = useForm("updatePool", {
    touches: ["getPool", "listPools"],
    says: "The pool's settings are saved",
    onDone: () => navigate({ to: "/a/$account/pools/$pool", params: { account, pool: pool.id } }),
  });
  const remove = useChange("deletePool", ["listPools"]);
  const body = { ...changesOf(schema, pool, values), revision: pool.revision };
  return (
    <Form
      of={form}
      verb="Save"
      reload={reload}
      more={
        <Ask
          verb="Delete"
          label="Delete the pool…"
          title={`Delete ${pool.name}`}
          effect="Its members and its keys go with it. Applications that use them are refused from then on."
          typed={pool.name}
          run={async () => {
            form.isTouched.current = false;
            await remove.mutateAsync({ params: { account, pool: pool.id } });
            await navigate({ to: "/a/$account/pools", params: { account } });
          }}
        />
      }
      onSubmit={() => form.send({ params: { account, pool: pool.id }, body })}
    >
      <SchemaForm schema={schema} path="" values={values} error={form.error} onChange={setValues} />
      <Unpriced pool={pool} values={values} />
    </Form>
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
