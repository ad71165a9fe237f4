import { Plus } from "lucide-react";
import { useState } from "react";
import { useAccount } from "#ui/parts/account.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { SecretOnce } from "#ui/parts/over/secret-once.tsx";

function Fields({ onDone }: { onDone: (secret: string | null) => void }) {
  const { id: account } = useAccount();
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("message.*");
  const form = useForm("createWebhook", {
    touches: ["listWebhooks"],
    onDone: ({ data }) => onDone(data.secret),
  });
  const patterns = events.split(/\s+/).filter((pattern) => pattern !== "");
  return (
    <Form
      of={form}
      verb="Add the endpoint"
      onSubmit={() => form.send({ params: { account }, body: { url, events: patterns } })}
    >
      <Field label="URL" hint="Events are posted to it, signed." fault={form.fault("url")}>
        <input
          type="url"
          required
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      <Field
        label="Events"
        hint="Types or families, such as message.* gateway.* credit.low, or * for all."
        fault={form.fault("events")}
      >
        <input
          required
          className="mono"
          value={events}
          onChange={(event) => setEvents(event.target.value)}
          spellCheck={false}
        />
      </Field>
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
