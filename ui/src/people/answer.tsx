import { useEffect, useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import { useAccount, useSession } from "#ui/parts/account.ts";
import { Choice } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { Text } from "#ui/send/body-fields.tsx";
import { Doubt } from "#ui/send/doubt.tsx";
import { type Draft, requestOf } from "#ui/send/draft.ts";
import { faultOf } from "#ui/send/faults.ts";
import { forgetPending, keepPending, newPending, openPending, pendingName } from "#ui/send/pending.ts";
import type { Way } from "./conversation.ts";

/**
 * Answers a person through the gateway that received their message. `ways`: the gateways that did, the default one first; `mute`: the
 * channels on which they receive nothing.
 */
export function Answer({
  recipient,
  ways,
  mute,
}: {
  recipient: string;
  ways: readonly Way[];
  mute: readonly string[];
}) {
  const { id: account } = useAccount();
  const { id: person } = useSession();
  const name = pendingName({ person, account, for: `answer ${recipient}` });
  const [pending, setPending] = useState(() => openPending(name, { to: recipient }));
  const { key, draft } = pending;
  useEffect(() => keepPending(name, pending), [name, pending]);
  const gateways = useRead("listGateways", { params: { account } }, { every: 60_000 }).data?.data;
  const form = useForm("sendAccountMessages", {
    says: "The answer is accepted",
    onDone: () => {
      forgetPending(name);
      setPending(newPending({ to: recipient }));
    },
  });
  if (gateways === undefined) return null;
  const open = ways.filter(({ gateway }) => gateways.some(({ identifier }) => identifier === gateway));
  const way = open.find(({ gateway }) => gateway === draft.gateway) ?? open[0];
  if (way === undefined)
    return <p className="soft">None of the gateways that received their messages still exists.</p>;
  const { channel, gateway } = way;
  const change = (changes: Partial<Draft>) =>
    setPending((before) => ({ ...before, draft: { ...before.draft, ...changes } }));
  const whole: Draft = { ...draft, recipients: recipient, channel, gateway };
  return (
    <Form
      of={form}
      verb={`Answer through ${gateway}`}
      // The tab keeps the input.
      guard={false}
      onSubmit={() => {
        // What they write meanwhile does not change the gateway, nor the request that is repeated.
        change({ channel, gateway });
        form.send({ params: { account }, body: requestOf(whole, []), idempotencyKey: key });
      }}
    >
      {open.length < 2 ? null : (
        <Choice
          label="Through"
          of={open.map((each) => [each.gateway, `${each.gateway} (${each.channel})`] as const)}
          value={gateway}
          onChange={(word) => change({ gateway: word })}
        />
      )}
      <Text draft={whole} change={change} fault={(field) => faultOf(form.error, field)} label="Answer" />
      {mute.includes(channel) ? (
        <p className="notice warn">They get nothing by {channel}: an answer would end unsent.</p>
      ) : null}
      <Doubt
        error={form.error}
        onRenew={() => {
          form.reset();
          setPending({ ...newPending({ to: recipient }), draft });
        }}
      />
    </Form>
  );
}
