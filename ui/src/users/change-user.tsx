// An operator's changes of a person: the name and the role.

import type { ListedUser } from "#ui/api/schema.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { RoleChoice, roleOf } from "./role-choice.tsx";

function Fields({ user, onDone }: { user: ListedUser; onDone: () => void }) {
  const form = useForm("updateUser", { says: `${user.name} is saved`, onDone });
  const { texts, field } = useTexts(form, { name: user.name, account: user.account ?? "" });
  const { name, account } = texts;
  const body = {
    ...(name === user.name ? {} : { name }),
    ...(account === (user.account ?? "") ? {} : roleOf(account)),
    revision: user.revision,
  };
  return (
    <Form of={form} verb="Save" onSubmit={() => form.send({ params: { user: user.id }, body })}>
      <TextField label="Name" required {...field("name")} />
      <RoleChoice
        any="operator, who may do everything"
        {...field("account")}
        now={user.account === null ? null : { id: user.account, name: user.account_name ?? user.account }}
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
