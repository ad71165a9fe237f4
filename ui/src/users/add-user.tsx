import { Plus } from "lucide-react";
import { useState } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { RoleChoice, roleOf } from "./role-choice.tsx";

function Fields({ onDone }: { onDone: () => void }) {
  const [values, setValues] = useState({ email: "", name: "", account: "", password: "" });
  const form = useForm("createUser", { touches: ["listUsers"], says: `${values.name} was added`, onDone });
  const set = (name: keyof typeof values) => (event: { target: { value: string } }) =>
    setValues({ ...values, [name]: event.target.value });
  const { account, ...rest } = values;
  const body = { ...rest, ...roleOf(account) };
  return (
    <Form of={form} verb="Add the user" onSubmit={() => form.send({ body })}>
      <Field label="E-mail address" fault={form.fault("email")}>
        <input type="email" required autoComplete="off" value={values.email} onChange={set("email")} />
      </Field>
      <Field label="Name" fault={form.fault("name")}>
        <input required autoComplete="off" value={values.name} onChange={set("name")} />
      </Field>
      <RoleChoice
        any="operator, who may do everything"
        value={account}
        onChange={(chosen) => setValues({ ...values, account: chosen })}
        fault={form.fault("account") ?? form.fault("role")}
      />
      <Field
        label="First password"
        hint="At least 12 characters. The person changes it after signing in."
        fault={form.fault("password")}
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
    </Form>
  );
}

export function AddUser() {
  return (
    <DialogButton
      first
      title="Add a user"
      label={
        <>
          <Plus aria-hidden="true" /> Add a user
        </>
      }
    >
      {(close) => <Fields onDone={close} />}
    </DialogButton>
  );
}
