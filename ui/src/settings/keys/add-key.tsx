import forms from "#ui/api/forms.json";
import { useRead } from "#ui/api/queries.ts";
import type { CreateNamedKeyRequest, Gateway } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { Waiting } from "#ui/parts/page.tsx";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";
import { keySchema } from "./key-schema.ts";

function Fields({ gateways, onKey }: { gateways: readonly Gateway[]; onKey: (key: string) => void }) {
  const { id: account } = useAccount();
  const form = useForm("createNamedKey", { onDone: ({ data }) => onKey(data.key) });
  return (
    <ValuesForm
      of={form}
      verb="Create the key"
      schema={keySchema(forms.named_key, gateways, null)}
      // The API reports what is missing.
      onSubmit={(values) => form.send({ params: { account }, body: values as CreateNamedKeyRequest })}
    />
  );
}

function Opened({ onKey }: { onKey: (key: string) => void }) {
  const { id: account } = useAccount();
  const gateways = useRead("listGateways", { params: { account } });
  if (gateways.data === undefined) return <Waiting error={gateways.error} />;
  return <Fields gateways={gateways.data.data} onKey={onKey} />;
}

export function AddKey() {
  return (
    <SecretButton
      adds
      title="Create an API key"
      label="New key"
      secret={{ title: "The new API key", line: "TRUNKLINE_API_KEY" }}
    >
      {(onKey) => <Opened onKey={onKey} />}
    </SecretButton>
  );
}
