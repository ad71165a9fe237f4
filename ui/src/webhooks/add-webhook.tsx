import { useAccount } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { useTexts } from "#ui/parts/form/texts.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { fieldsOf, WebhookFields } from "./webhook-fields.tsx";

function Fields({ onDone }: { onDone: (secret: string | null) => void }) {
  const { id: account } = useAccount();
  const form = useForm("createWebhook", { onDone: ({ data }) => onDone(data.secret) });
  const entered = useTexts(form, { name: "", url: "", events: "message.*" });
  return (
    <Form
      of={form}
      verb="Add the endpoint"
      onSubmit={() => form.send({ params: { account }, body: fieldsOf(entered.texts) })}
    >
      <WebhookFields {...entered} />
    </Form>
  );
}

export function AddWebhook() {
  return (
    <SecretButton
      adds
      title="Add a webhook endpoint"
      label="Add an endpoint"
      secret={{ title: "The endpoint's secret", line: "TRUNKLINE_WEBHOOK_SECRET" }}
    >
      {(onDone) => <Fields onDone={onDone} />}
    </SecretButton>
  );
}
