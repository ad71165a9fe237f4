import { useState } from "react";
import { useChange, usePages, useRead } from "#ui/api/queries.ts";
import { useSession } from "#ui/parts/account.ts";
import { Ask } from "#ui/parts/dialog.tsx";
import { Choice, Field, faultAt } from "#ui/parts/field.tsx";
import { List } from "#ui/parts/list.tsx";
import { PageHead, Problem } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";

function Add() {
  const create = useChange("createUser", ["listUsers"]);
  const accounts = useRead("listAccounts", { query: { limit: 100 } }, { every: false });
  const empty = { email: "", name: "", account: "", password: "" };
  const [values, setValues] = useState(empty);
  const set = (name: keyof typeof empty) => (event: { target: { value: string } }) =>
    setValues({ ...values, [name]: event.target.value });
  return (
    <section className="card" aria-labelledby="add">
      <h2 id="add">Add a user</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const { account, ...rest } = values;
          const body =
            account === ""
              ? { ...rest, role: "operator" as const }
              : { ...rest, role: "member" as const, account };
          create.mutate({ body }, { onSuccess: () => setValues(empty) });
        }}
      >
        <Field label="E-mail address" fault={faultAt(create.error, "email")}>
          <input type="email" required autoComplete="off" value={values.email} onChange={set("email")} />
        </Field>
        <Field label="Name" fault={faultAt(create.error, "name")}>
          <input required autoComplete="off" value={values.name} onChange={set("name")} />
        </Field>
        <Choice
          label="Role"
          any="operator, who may do everything"
          of={(accounts.data?.data ?? []).map(({ id, name }) => [id, `member of ${name}`] as const)}
          value={values.account}
          onChange={(account) => setValues({ ...values, account })}
          fault={faultAt(create.error, "account") ?? faultAt(create.error, "role")}
        />
        <Field
          label="First password"
          hint="At least 12 characters. The person changes it after signing in."
          fault={faultAt(create.error, "password")}
        >
          <input
            type="password"
            required
            minLength={12}
            autoComplete="new-password"
            value={values.password}
            onChange={set("password")}
          />
        </Field>
        <Problem error={create.error} />
        <div>
          <button type="submit" className="button first" disabled={create.isPending}>
            Add the user
          </button>
        </div>
      </form>
    </section>
  );
}

export function Page() {
  const session = useSession();
  const pages = usePages("listUsers", {});
  const update = useChange("updateUser", ["listUsers"]);
  return (
    <>
      <PageHead title="Users" />
      <List
        label="Users"
        pages={pages}
        id={({ id }) => id}
        empty={<p>There is no user yet.</p>}
        columns={[
          { head: "State", cell: ({ active }) => <Status of={active ? "active" : "off"} /> },
          { head: "E-mail address", look: "wrap", cell: ({ email }) => email },
          { head: "Name", look: "wrap", cell: ({ name }) => name },
          {
            head: "Role",
            look: "wrap",
            cell: ({ role, account }) => (account === null ? role : `${role} of ${account}`),
          },
          {
            head: "Signed in",
            cell: ({ signed_in_at }) => (signed_in_at === null ? "never" : <Time at={signed_in_at} />),
          },
          {
            head: "",
            cell: ({ id, email, active }) =>
              id === session.id ? null : (
                <Ask
                  verb={active ? "Switch off" : "Switch on"}
                  label={active ? "Switch off…" : "Switch on…"}
                  title={`${active ? "Switch off" : "Switch on"} ${email}`}
                  effect={
                    active
                      ? "The person's sessions end at once, and signing in is refused."
                      : "The person can sign in again."
                  }
                  grave={active}
                  run={() => update.mutateAsync({ params: { user: id }, body: { active: !active } })}
                />
              ),
          },
        ]}
      />
      <Add />
    </>
  );
}
