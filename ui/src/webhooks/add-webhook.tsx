import { Plus } from "lucide-react";
import { useState } from "react";
import { useAccount } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { SecretOnce } from "#ui/parts/over/secret-once.tsx";
import { patternsOf, WebhookFields } from "./webhook-fields.tsx";

function Fields({ onDone }: { onDone: (secret: string | null) => void }) {
  const { id: account } = useAccount();
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("message.*");
  const form = useForm("createWebhook", {
    touches: ["listWebhooks"],
    onDone: ({ data }) => onDone(data.secret),
  });
  return (
    <Form
      of={form}
      verb="Add the endpoint"
      onSubmit={() => form.send({ params: { account }, body: { url, events: patternsOf(events) } })}
    >
      <WebhookFields fault={form.fault} url={url} onUrl={setUrl} events={events} onEvents={setEvents} />
    </Form>
  );
}

export function AddWebhook() {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <DialogButton
        first
        title="Add an endpoint"
        label={
          <>
            <Plus aria-hidden="true" /> Add an endpoint
          </>
        }
      >
        {(close) => (
          <Fields
            onDone={(made) => {
              close();
              setSecret(made);
            }}
          />
        )}
      </DialogButton>
      {secret === null ? null : (
        <SecretOnce
          title="The endpoint's secret"
          secret={secret}
          line="TRUNKLINE_WEBHOOK_SECRET"
          onStored={() => setSecret(null)}
        />
      )}
    </>
  );
}
