import { useState } from "react";
import type { NewSetupLink } from "#ui/api/schema.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { LinkOnce } from "./link-once.tsx";
import { RoleChoice, roleOf } from "./role-choice.tsx";

interface Invited {
  name: string;
  link: NewSetupLink;
}

function Fields({ onInvited }: { onInvited: (invited: Invited) => void }) {
  const form = useForm("createUser", {
    onDone: ({ data: { name, setup_link, setup_link_expires_at } }) => {
      if (setup_link !== null && setup_link_expires_at !== null)
        onInvited({ name, link: { setup_link, setup_link_expires_at } });
    },
  });
  const { texts, field } = useTexts(form, { email: "", name: "", account: "" });
  const body = { ...texts, ...roleOf(texts.account) };
  return (
    <Form of={form} verb="Add the user" onSubmit={() => form.send({ body })}>
      <TextField label="Email address" type="email" required {...field("email")} />
      <TextField label="Name" required {...field("name")} />
      <RoleChoice
        any="operator, who may do everything"
        {...field("account")}
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
