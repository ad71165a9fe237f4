import { useState } from "react";
import { useChange } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { SecretOnce } from "#ui/parts/over/secret-once.tsx";
import { Section } from "#ui/parts/page.tsx";

/** The account's API key: shown to who gives their password, and replaced. */
export function ApiKey() {
  const { id: account, name } = useAccount();
  const rotate = useChange("rotateApiKey");
  const [password, setPassword] = useState("");
  const [key, setKey] = useState<{ text: string; isNew: boolean } | null>(null);
  const form = useForm("revealApiKey", {
    onDone: ({ data }) => {
      setKey({ text: data.api_key, isNew: false });
      setPassword("");
    },
  });
  return (
    <Section title="API key">
      <p className="soft">Its holder can send messages and spend this account's credit.</p>
      <Form
        of={form}
        verb="Show the key"
        quiet
        guard={false}
        onSubmit={() => form.send({ params: { account }, body: { password } })}
        more={
          <Ask
            verb="Replace the key"
            label="Replace it…"
            title="Replace the API key"
            effect="The present key ends at once: applications that use it are refused until they have the new one."
            typed={name}
            run={async () => {
              const { data } = await rotate.mutateAsync({ params: { account }, body: {} });
              setKey({ text: data.api_key, isNew: true });
              rotate.reset();
            }}
          />
        }
      >
        <Field label="Your password" fault={form.fault("password")}>
          <input
            type="password"
            required
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      </Form>
      {key === null ? null : (
        <SecretOnce
          title="The account's API key"
          secret={key.text}
          line="TRUNKLINE_API_KEY"
          {...(key.isNew ? {} : { again: "It can be shown again for your password." })}
          onStored={() => setKey(null)}
        />
      )}
    </Section>
  );
}
