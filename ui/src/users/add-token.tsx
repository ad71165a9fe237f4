import { useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";
import { RoleChoice, roleOf } from "./role-choice.tsx";
import { tokenSchema } from "./token-scopes.ts";

function Fields({ onToken }: { onToken: (token: string) => void }) {
  const form = useForm("createManagementToken", { onDone: ({ data }) => onToken(data.token) });
  const { texts, field } = useTexts(form, { name: "", account: "" });
  const body = { name: texts.name, ...roleOf(texts.account) };
  return (
    <ValuesForm
      of={form}
      verb="Create the token"
      schema={tokenSchema}
      onSubmit={(values) => form.send({ body: { ...body, ...values } })}
    >
      <TextField label="Name" hint="What uses it." required {...field("name")} />
      <RoleChoice any="operator, which may do everything" {...field("account")} />
    </ValuesForm>
  );
}

export function AddToken() {
  return (
    <SecretButton
      adds
      title="Create a token"
      label="Create a token"
      secret={{ title: "The new management token", line: "TRUNKLINE_TOKEN" }}
    >
      {(onToken) => <Fields onToken={onToken} />}
    </SecretButton>
  );
}
