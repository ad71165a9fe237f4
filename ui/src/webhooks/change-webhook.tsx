// Changes of an endpoint: its URL, and its events.

import { useState } from "react";
import { call } from "#ui/api/client.ts";
import type { Webhook } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { Opened } from "#ui/schema-form/opened.tsx";
import { patternsOf, WebhookFields } from "./webhook-fields.tsx";

function Fields({ of, reload, onDone }: { of: Webhook; reload: () => Promise<void>; onDone: () => void }) {
  const { id: account } = useAccount();
  const [url, setUrl] = useState(of.url);
  const [events, setEvents] = useState(of.events.join(" "));
  const form = useForm("updateWebhook", {
    says: "The endpoint is saved",
    onDone,
  });
  const patterns = patternsOf(events);
  return (
    <Form
      of={form}
      verb="Save"
      reload={reload}
      onSubmit={() =>
        form.send({
          params: { account, webhook: of.id },
          body: {
            ...(url === of.url ? {} : { url }),
            ...(patterns.join(" ") === of.events.join(" ") ? {} : { events: patterns }),
            revision: of.revision,
          },
        })
      }
    >
      <WebhookFields fault={form.fault} url={url} onUrl={setUrl} events={events} onEvents={setEvents} />
    </Form>
  );
}

export function ChangeWebhook({ webhook }: { webhook: Webhook }) {
  const { id: account } = useAccount();
  return (
    <DialogButton title="Change the endpoint" label="Change…">
      {(close) => (
        <Opened of={webhook} read={() => call("getWebhook", { params: { account, webhook: webhook.id } })}>
          {(stored, reload) => <Fields of={stored} reload={reload} onDone={close} />}
        </Opened>
      )}
    </DialogButton>
  );
}
