import { useState } from "react";
import { useChange } from "#ui/api/queries.ts";
import type { Session } from "#ui/api/schema.ts";
import { Button } from "#ui/parts/button.tsx";
import { Check, Field } from "#ui/parts/form/field.tsx";
import { Problem } from "#ui/parts/page.tsx";

/** The fields of the sign-in, on a page of their own or covering the page of an ended session. */
export function SignIn({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const [shown, setShown] = useState(false);
  const signIn = useChange("signIn");
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const values = new FormData(event.currentTarget);
        const body = { email: String(values.get("email")), password: String(values.get("password")) };
        signIn.mutate({ body }, { onSuccess: ({ data }) => onSignedIn(data) });
      }}
    >
      <Field label="Email address">
        <input name="email" type="email" autoComplete="username" required maxLength={254} />
      </Field>
      <Field label="Password">
        <input
          name="password"
          type={shown ? "text" : "password"}
          autoComplete="current-password"
          required
          maxLength={200}
        />
      </Field>
      <Check label="Show the password" checked={shown} onChange={setShown} />
      <Problem error={signIn.error} />
      <Button type="submit" look="first" disabled={signIn.isPending}>
        Sign in
      </Button>
      <p className="hint">
        The first operator signs in with the link that the start printed.{" "}
        <a href="/setup">The page of that link</a> says what makes a new one.
      </p>
    </form>
  );
}
