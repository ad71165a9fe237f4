import { Plus } from "lucide-react";
import { useState } from "react";
import forms from "#ui/api/forms.json";
import { useRead } from "#ui/api/queries.ts";
import type { CreateNamedKeyRequest, Gateway } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { SecretOnce } from "#ui/parts/over/secret-once.tsx";
import { Waiting } from "#ui/parts/page.tsx";
import type { Values } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";
import { keySchema } from "./key-schema.ts";

function Fields({ gateways, onKey }: { gateways: readonly Gateway[]; onKey: (key: string) => void }) {
  const { id: account } = useAccount();
  const [values, setValues] = useState<Values>({});
  const form = useForm("createNamedKey", {
    touches: ["listNamedKeys"],
    onDone: ({ data }) => onKey(data.key),
  });
  return (
    <Form
      of={form}
      verb="Make the key"
      // The API says what is missing.
      onSubmit={() => form.send({ params: { account }, body: values as CreateNamedKeyRequest })}
    >
      <SchemaForm
        schema={keySchema(forms.named_key, gateways, null)}
        path=""
        values={values}
        error={form.error}
        onChange={setValues}
      />
    </Form>
  );
}

function Opened({ onKey }: { onKey: (key: string) => void }) {
  const { id: account } = useAccount();
  const gateways = useRead("listGateways", { params: { account } });
  if (gateways.data === undefined) return <Waiting error={gateways.error} />;
  return <Fields gateways={gateways.data.data} onKey={onKey} />;
}

export function AddKey() {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <DialogButton
        first
        title="Make an API key"
        label={
          <>
            <Plus aria-hidden="true" /> New key
          </>
        }
      >
        {(close) => (
          <Opened
            onKey={(made) => {
              close();
              setSecret(made);
            }}
          />
        )}
      </DialogButton>
      {secret === null ? null : (
        <SecretOnce
          title="The new API key"
          secret={secret}
          line="TRUNKLINE_API_KEY"
          onStored={() => setSecret(null)}
        />
      )}
    </>
  );
}
