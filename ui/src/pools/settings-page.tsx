import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import { useChange } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Problem } from "#ui/parts/page.tsx";
import { changesOf, type Schema, type Values } from "#ui/schema-form/model.ts";
import { Opened } from "#ui/schema-form/opened.tsx";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";
import { PoolFrame } from "./pool-head.tsx";

const schema = forms.pool as Schema;

function Settings({ pool, reload }: { pool: Pool; reload: () => Promise<void> }) {
  const { id: account } = useAccount();
  const update = useChange("updatePool", ["getPool", "listPools"]);
  const navigate = useNavigate();
  const [values, setValues] = useState<Values>(pool);
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const body = { ...changesOf(schema, pool, values), revision: pool.revision };
        update.mutate(
          { params: { account, pool: pool.id }, body },
          { onSuccess: () => navigate({ to: `/a/${account}/pools/${pool.id}` }) },
        );
      }}
    >
      <SchemaForm schema={schema} path="" values={values} error={update.error} onChange={setValues} />
      <Problem error={update.error} reload={reload} />
      <div>
        <button type="submit" className="button first" disabled={update.isPending}>
          Save
        </button>
      </div>
    </form>
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
