import { useState } from "react";
import type { TokenScope } from "#ui/api/schema.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { Boxes } from "#ui/schema-form/boxes.tsx";
import { Instant } from "#ui/schema-form/instant.tsx";
import { RoleChoice, roleOf } from "./role-choice.tsx";
import { scopesSchema } from "./token-scopes.ts";

function Fields({ onToken }: { onToken: (token: string) => void }) {
  const [scopes, setScopes] = useState<TokenScope[] | null>(null);
  const [expiresAt, setExpiresAt] = useState<string | null>(null);
  const form = useForm("createManagementToken", { onDone: ({ data }) => onToken(data.token) });
  const { texts, field } = useTexts(form, { name: "", account: "" });
  const body = { name: texts.name, ...roleOf(texts.account), scopes, expires_at: expiresAt };
  return (
    <Form of={form} verb="Create the token" onSubmit={() => form.send({ body })}>
      <TextField label="Name" hint="What uses it." required {...field("name")} />
      <RoleChoice any="operator, which may do everything" {...field("account")} />
      <Boxes
        label="Scopes"
        fault={form.fault("scopes")}
        schema={scopesSchema}
        required={false}
        nullable
        value={scopes}
        onChange={(value) => setScopes(value as TokenScope[] | null)}
      />
      <Instant
        label="Expires at"
        fault={form.fault("expires_at")}
        schema={{ description: "When it expires; leave empty for never." }}
        required={false}
        nullable
        value={expiresAt}
        onChange={(value) => setExpiresAt((value as string | undefined) ?? null)}
      />
    </Form>
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
