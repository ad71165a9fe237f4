import { useState } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { Section } from "#ui/parts/page.tsx";

/** The password of the signed-in person. */
export function OwnPassword() {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const form = useForm("changePassword", {
    says: "Your password was changed",
    onDone: () => {
      setCurrent("");
      setPassword("");
    },
  });
  return (
    <Section title="Your password" about="You sign in to the dashboard with it.">
      <Form
        of={form}
        verb="Change the password"
        quiet
        guard={false}
        onSubmit={() => form.send({ body: { current_password: current, password } })}
      >
        <Field label="Current password" fault={form.fault("current_password")}>
          <input
            type="password"
            required
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
        <Field label="New password" hint="At least 12 characters." fault={form.fault("password")}>
          <input
            type="password"
            required
            minLength={12}
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      </Form>
    </Section>
  );
}
