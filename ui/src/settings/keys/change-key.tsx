// Actions on a named key: changing its rights, revoking it.

import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Gateway, NamedKey } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { LastUse } from "#ui/parts/form/renew.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { Waiting } from "#ui/parts/page.tsx";
import { Opened } from "#ui/schema-form/opened.tsx";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";
import { keySchema } from "./key-schema.ts";

interface Of {
  of: NamedKey;
}

function Fields({
  of,
  gateways,
  reload,
  onDone,
}: Of & { gateways: readonly Gateway[]; reload: () => Promise<void>; onDone: () => void }) {
  const { id: account } = useAccount();
  const form = useForm("updateNamedKey", { says: `${of.name} is saved`, onDone });
  return (
    <ValuesForm
      of={form}
      verb="Save"
      schema={keySchema(forms.named_key, gateways, of.gateways)}
      stored={of}
      reload={reload}
      onSubmit={(changes) =>
        form.send({ params: { account, key: of.id }, body: { ...changes, revision: of.revision } })
      }
    />
  );
}

function Change({ of, onDone }: Of & { onDone: () => void }) {
  const { id: account } = useAccount();
  const gateways = useRead("listGateways", { params: { account } });
  if (gateways.data === undefined) return <Waiting error={gateways.error} />;
  const { data } = gateways.data;
  return (
    <Opened of={of} read={() => call("getNamedKey", { params: { account, key: of.id } })}>
      {(stored, reload) => <Fields of={stored} gateways={data} reload={reload} onDone={onDone} />}
    </Opened>
  );
}

export function ChangeKey({ of }: Of) {
  return (
    <DialogButton title={`What ${of.name} may do`} label="Change…">
      {(close) => <Change of={of} onDone={close} />}
    </DialogButton>
  );
}

/** It may have been used since the list was read. */
function LastUseNow({ of }: Of) {
  const { id: account } = useAccount();
  const { data: now } = useRead("getNamedKey", { params: { account, key: of.id } });
  return <LastUse at={(now?.data ?? of).last_used_at} endsNow />;
}

export function RevokeKey({ of }: Of) {
  const { id: account } = useAccount();
  const revoke = useChange("revokeNamedKey");
  return (
    <Ask
      verb="Revoke"
      label="Revoke…"
      title={`Revoke ${of.name}`}
      effect={
        <>
          <LastUseNow of={of} />
          <p>It stops working permanently. To replace it without an outage, rotate it instead.</p>
        </>
      }
      typed={of.name}
      run={() => revoke.mutateAsync({ params: { account, key: of.id } })}
    />
  );
}
