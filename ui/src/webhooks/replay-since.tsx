// Replays the failed deliveries since a time. The dialog first shows how many they are. A disabled endpoint is enabled by the same step.

import { useState } from "react";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Webhook } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Problem } from "#ui/parts/page.tsx";
import { number } from "#ui/words/numbers.ts";
import { instantIn, localIn } from "#ui/words/spans.ts";

function Since({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const { id: account } = useAccount();
  const zone = useZone();
  const params = { account, webhook: webhook.id };
  const [local, setLocal] = useState(() =>
    localIn(Date.parse(webhook.failing_since ?? webhook.created_at), zone),
  );
  const at = local === "" ? Number.NaN : instantIn(local, zone);
  const since = Number.isNaN(at) ? null : new Date(at).toISOString();
  const counted = useRead(
    "countFailedDeliveries",
    { params, query: { since: since ?? "" } },
    { enabled: since !== null },
  );
  const form = useForm("replayFailedDeliveries", {
    onDone: ({ data }) => {
      const verb = data.replayed === 1 ? "is" : "are";
      done(`${number(data.replayed)} ${verb} posted again${data.more ? "; there are more" : ""}`);
      if (!data.more) onDone();
    },
  });
  const found = since === null ? undefined : counted.data?.data;
  const isOff = !webhook.active;
  const enable = useChange("updateWebhook");
  const submit = async () => {
    if (since === null || found === undefined) return;
    if (isOff) {
      try {
        await enable.mutateAsync({ params, body: { active: true } });
      } catch {
        return; // The form shows why.
      }
      if (found.count === 0) {
        done("The endpoint is switched on");
        return onDone();
      }
    }
    if (found.count > 0) form.send({ params, body: { since } });
  };
  const replays = found === undefined ? "Replay" : `Replay ${number(found.count)}${found.more ? "+" : ""}`;
  return (
    <Form
      of={form}
      guard={false}
      verb={!isOff ? replays : found?.count === 0 ? "Switch on" : `Switch on and ${replays.toLowerCase()}`}
      onSubmit={submit}
    >
      <p>
        Every event whose delivery has failed since then is posted again under its old id, so that your
        application can tell what it has seen.
        {isOff ? " What happened while the endpoint was off was not kept for it, and is not among them." : ""}
      </p>
      <Field label="Failed since" hint={`In the time zone ${zone}.`} fault={form.fault("since")}>
        <input
          type="datetime-local"
          required
          value={local}
          onChange={(event) => setLocal(event.target.value)}
        />
      </Field>
      <p role="status">
        {found === undefined
          ? "…"
          : found.count === 0
            ? "Nothing has failed since then."
            : `${number(found.count)}${found.more ? " or more" : ""} ${found.count === 1 ? "delivery" : "deliveries"}.`}
      </p>
      <Problem error={counted.error ?? enable.error} />
    </Form>
  );
}

export function ReplaySince({ webhook }: { webhook: Webhook }) {
  return (
    <DialogButton
      title={webhook.active ? "Replay what failed" : "Switch on and replay what failed"}
      label={webhook.active ? "Replay failed…" : "Switch on and replay…"}
    >
      {(close) => <Since webhook={webhook} onDone={close} />}
    </DialogButton>
  );
}
