import { call } from "#ui/api/client.ts";
import type { Webhook } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { useTexts } from "#ui/parts/form/texts.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { Opened } from "#ui/schema-form/opened.tsx";
import { enteredOf, fieldsOf, WebhookFields } from "./webhook-fields.tsx";

function Fields({ of, reload, onDone }: { of: Webhook; reload: () => Promise<void>; onDone: () => void }) {
  const { id: account } = useAccount();
  const form = useForm("updateWebhook", { says: "The endpoint is saved", onDone });
  const entered = useTexts(form, enteredOf(of));
  const before = Object.values(fieldsOf(enteredOf(of))).map(String);
  const changed = Object.fromEntries(
    Object.entries(fieldsOf(entered.texts)).filter(([, value], at) => String(value) !== before[at]),
  );
  return (
    <Form
      of={form}
      verb="Save"
      reload={reload}
      onSubmit={() =>
        form.send({ params: { account, webhook: of.id }, body: { ...changed, revision: of.revision } })
      }
    >
      <WebhookFields {...entered} />
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
