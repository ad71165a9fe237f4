import { useState } from "react";
import forms from "#ui/api/forms.json";
import { useChange, usePages } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Ask, SecretOnce } from "#ui/parts/dialog.tsx";
import { Field, faultAt } from "#ui/parts/field.tsx";
import { List } from "#ui/parts/list.tsx";
import { Problem } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import type { Schema, Values } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";
import { number } from "#ui/words/numbers.ts";
import { PoolFrame } from "./pool-head.tsx";

function Add({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const create = useChange("createPoolKey", ["listPoolKeys"]);
  const [name, setName] = useState("");
  const [values, setValues] = useState<Values>({});
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section className="card" aria-labelledby="add">
      <h2 id="add">Make a key</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(
            { params: { account, pool: pool.id }, body: { name, ...values } },
            {
              onSuccess: ({ data }) => {
                setSecret(data.key);
                setName("");
                create.reset();
              },
            },
          );
        }}
      >
        <Field label="Name" hint="Who calls with it." fault={faultAt(create.error, "name")}>
          <input required value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        <SchemaForm
          schema={forms.key as Schema}
          path=""
          values={values}
          error={create.error}
          onChange={setValues}
        />
        <Problem error={create.error} />
        <div>
          <button type="submit" className="button first" disabled={create.isPending}>
            Make the key
          </button>
        </div>
      </form>
      {secret === null ? null : (
        <SecretOnce
          title="The pool's new key"
          secret={secret}
          line="OPENAI_API_KEY"
          onStored={() => setSecret(null)}
        />
      )}
    </section>
  );
}

function Keys({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const pages = usePages("listPoolKeys", { params: { account, pool: pool.id } });
  const revoke = useChange("revokePoolKey", ["listPoolKeys"]);
  return (
    <>
      <List
        label="Keys"
        pages={pages}
        id={({ id }) => id}
        empty={<p>There is no key yet, so no application can call this pool.</p>}
        columns={[
          {
            head: "State",
            cell: ({ revoked_at }) =>
              revoked_at === null ? <Status of="active" /> : <Status of="off">revoked</Status>,
          },
          { head: "Name", look: "wrap", cell: ({ name }) => name },
          { head: "Key", cell: ({ hint }) => <code>{hint}</code> },
          {
            head: "Requests a minute",
            look: "number",
            cell: ({ limits }) => number(limits.requests_per_minute),
          },
          { head: "Tokens a day", look: "number", cell: ({ budget }) => number(budget.tokens_per_day) },
          { head: "Models", look: "wrap", cell: ({ models }) => models?.join(", ") ?? "all" },
          {
            head: "Ends",
            cell: ({ expires_at }) => (expires_at === null ? "never" : <Time at={expires_at} />),
          },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: "",
            cell: ({ id, name, revoked_at }) =>
              revoked_at === null ? (
                <Ask
                  verb="Revoke"
                  label="Revoke…"
                  title={`Revoke ${name}`}
                  effect="Applications that use it are refused from then on. It cannot be undone."
                  typed={name}
                  run={() => revoke.mutateAsync({ params: { account, pool: pool.id, key: id } })}
                />
              ) : null,
          },
        ]}
      />
      <Add pool={pool} />
    </>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Keys pool={pool} />}</PoolFrame>;
}
