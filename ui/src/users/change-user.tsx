// An operator's changes of a person: the name and the role.

import { useState } from "react";
import type { ListedUser } from "#ui/api/schema.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { RoleChoice, roleOf } from "./role-choice.tsx";

function Fields({ user, onDone }: { user: ListedUser; onDone: () => void }) {
  const [name, setName] = useState(user.name);
  const [account, setAccount] = useState(user.account ?? "");
  const form = useForm("updateUser", { says: `${name} is saved`, onDone });
  const role = roleOf(account);
  const body = {
    ...(name === user.name ? {} : { name }),
    ...(account === (user.account ?? "") ? {} : { account: null, ...role }),
    revision: user.revision,
  };
  return (
    <Form of={form} verb="Save" onSubmit={() => form.send({ params: { user: user.id }, body })}>
      <Field label="Name" fault={form.fault("name")}>
        <input required autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <RoleChoice
        any="operator, who may do everything"
        value={account}
        now={user.account === null ? null : { id: user.account, name: user.account_name ?? user.account }}
        onChange={setAccount}
        fault={form.fault("account") ?? form.fault("role")}
      />
    </Form>
  );
}

export function ChangeUser({ user }: { user: ListedUser }) {
  return (
    <DialogButton title={`Change ${user.email}`} label="Change…">
      {(close) => <Fields user={user} onDone={close} />}
    </DialogButton>
  );
}
