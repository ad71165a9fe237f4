import { useState } from "react";
import { useChange, usePages, useRead } from "#ui/api/queries.ts";
import { Ask, SecretOnce } from "#ui/parts/dialog.tsx";
import { Choice, Field, faultAt } from "#ui/parts/field.tsx";
import { List } from "#ui/parts/list.tsx";
import { PageHead, Problem } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";

function Add() {
  const create = useChange("createManagementToken", ["listManagementTokens"]);
  const accounts = useRead("listAccounts", { query: { limit: 100 } }, { every: false });
  const [name, setName] = useState("");
  const [account, setAccount] = useState("");
  const [token, setToken] = useState<string | null>(null);
  return (
    <section className="card" aria-labelledby="add">
      <h2 id="add">Make a token</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const body =
            account === "" ? { name, role: "operator" as const } : { name, role: "member" as const, account };
          create.mutate(
            { body },
            {
              onSuccess: ({ data }) => {
                setToken(data.token);
                setName("");
                create.reset();
              },
            },
          );
        }}
      >
        <Field label="Name" hint="What uses it." fault={faultAt(create.error, "name")}>
          <input required value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        <Choice
          label="Role"
          any="operator, which may do everything"
          of={(accounts.data?.data ?? []).map((each) => [each.id, `member of ${each.name}`] as const)}
          value={account}
          onChange={setAccount}
          fault={faultAt(create.error, "account")}
        />
        <Problem error={create.error} />
        <div>
          <button type="submit" className="button first" disabled={create.isPending}>
            Make the token
          </button>
        </div>
      </form>
      {token === null ? null : (
        <SecretOnce
          title="The new management token"
          secret={token}
          line="TRUNKLINE_TOKEN"
          onStored={() => setToken(null)}
        />
      )}
    </section>
  );
}

export function Page() {
  const pages = usePages("listManagementTokens", {});
  const revoke = useChange("revokeManagementToken", ["listManagementTokens"]);
  return (
    <>
      <PageHead title="Tokens" />
      <List
        label="Management tokens"
        pages={pages}
        id={({ id }) => id}
        empty={<p>There is no token yet. A token lets a program use the management API.</p>}
        columns={[
          {
            head: "State",
            cell: ({ revoked_at }) =>
              revoked_at === null ? <Status of="active" /> : <Status of="off">revoked</Status>,
          },
          { head: "Name", cell: ({ name }) => name },
          { head: "Token", cell: ({ hint }) => <code>{hint}</code> },
          { head: "Role", cell: ({ role, account }) => (account === null ? role : `${role} of ${account}`) },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: "",
            cell: ({ id, name, revoked_at }) =>
              revoked_at === null ? (
                <Ask
                  verb="Revoke"
                  label="Revoke…"
                  title={`Revoke ${name}`}
                  effect="Programs that use it are refused from then on. It cannot be undone."
                  typed={name}
                  run={() => revoke.mutateAsync({ params: { token: id } })}
                />
              ) : null,
          },
        ]}
      />
      <Add />
    </>
  );
}
