import { useState } from "react";
import { useChange } from "#ui/api/queries.ts";
import { Field, faultAt } from "#ui/parts/field.tsx";
import { Problem } from "#ui/parts/page.tsx";

/** The password of the person who is signed in. */
export function OwnPassword() {
  const change = useChange("changePassword", ["getSession"]);
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  return (
    <section className="card" aria-labelledby="own">
      <h2 id="own">Your password</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(
            { body: { current_password: current, password } },
            {
              onSuccess: () => {
                setCurrent("");
                setPassword("");
              },
            },
          );
        }}
      >
        <Field label="Present password" fault={faultAt(change.error, "current_password")}>
          <input
            type="password"
            required
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
        <Field label="New password" hint="At least 12 characters." fault={faultAt(change.error, "password")}>
          <input
            type="password"
            required
            minLength={12}
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <Problem error={change.error} />
        <div className="row">
          <button type="submit" className="button" disabled={change.isPending}>
            Change it
          </button>
          <span role="status">{change.isSuccess ? "Changed." : ""}</span>
        </div>
      </form>
    </section>
  );
}
