import { useState } from "react";
import type { NewSetupLink } from "#ui/api/schema.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { LinkOnce } from "./link-once.tsx";
import { RoleChoice, roleOf } from "./role-choice.tsx";

interface Invited {
  name: string;
  link: NewSetupLink;
}

function Fields({ onInvited }: { onInvited: (invited: Invited) => void }) {
  const [values, setValues] = useState({ email: "", name: "", account: "" });
  const form = useForm("createUser", {
    onDone: ({ data: { name, setup_link, setup_link_expires_at } }) => {
      if (setup_link !== null && setup_link_expires_at !== null)
        onInvited({ name, link: { setup_link, setup_link_expires_at } });
    },
  });
  const set = (name: keyof typeof values) => (event: { target: { value: string } }) =>
    setValues({ ...values, [name]: event.target.value });
  const { account, ...rest } = values;
  const body = { ...rest, ...roleOf(account) };
  return (
    <Form of={form} verb="Add the user" onSubmit={() => form.send({ body })}>
      <Field label="Email address" fault={form.fault("email")}>
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
      <p className="hint">You get a link with which the person chooses a password.</p>
    </Form>
  );
}

export function AddUser() {
  const [invited, setInvited] = useState<Invited | null>(null);
  return (
    <>
      <DialogButton adds title="Add a user" label="Add a user">
        {(close) => (
          <Fields
            onInvited={(added) => {
              close();
              setInvited(added);
            }}
          />
        )}
      </DialogButton>
      {invited === null ? null : (
        <LinkOnce name={invited.name} link={invited.link} onDone={() => setInvited(null)} />
      )}
    </>
  );
}
