import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { Gateway } from "#ui/api/schema.ts";
import { useAccount, useSession } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { channels } from "#ui/parts/channels.ts";
import { Choices } from "#ui/parts/form/choices.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { unaskedMost } from "#ui/parts/over/ask.tsx";
import { PageHead, Waiting } from "#ui/parts/page.tsx";
import { number } from "#ui/words/numbers.ts";
import { Agreement } from "./agreement.tsx";
import { AsCode } from "./as-code.tsx";
import { EmailFields, type FieldsOf, Text } from "./body-fields.tsx";
import { Doubt } from "./doubt.tsx";
import { type ChosenFile, type Draft, recipientsOf, requestOf } from "./draft.ts";
import { faultOf, fileFault } from "./faults.ts";
import { Files } from "./files.tsx";
import { forgetPending, keepPending, newPending, openPending, pendingName } from "./pending.ts";
import { Recipients } from "./recipients.tsx";
import { chosenOf, GatewayField, When } from "./route-fields.tsx";
import { WhatsappFields } from "./whatsapp-fields.tsx";
import { WouldHappen } from "./would-happen.tsx";

const verbOf = ({ at }: Draft, count: number): string => {
  const verb = at === null ? "Send" : "Schedule";
  return count > 1 ? `${verb} ${number(count)} messages` : `${verb} the message`;
};

function Compose({
  search,
  gateways,
}: {
  search: Readonly<Record<string, string | undefined>>;
  gateways: readonly Gateway[];
}) {
  const { id: account } = useAccount();
  const { id: person } = useSession();
  const navigate = useNavigate();
  const name = pendingName({ person, account, for: "send" });
  const [pending, setPending] = useState(() => openPending(name, search));
  const { key, draft } = pending;
  useEffect(() => keepPending(name, pending), [name, pending]);
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const form = useForm("sendAccountMessages", {
    onDone: ({ data: { request_id: request, contact } }) => {
      forgetPending(name);
      const [first] = contact;
      return first !== undefined && contact.length === 1
        ? navigate({ to: "/a/$account/messages/$message", params: { account, message: first.id } })
        : navigate({ to: "/a/$account/requests/$request", params: { account, request } });
    },
  });
  const change = (changes: Partial<Draft>) =>
    setPending((before) => ({ ...before, draft: { ...before.draft, ...changes } }));
  const fields: FieldsOf = { draft, change, fault: (field) => faultOf(form.error, field) };
  const count = recipientsOf(draft.recipients).length;
  const verb = verbOf(draft, count);
  const send = () => form.send({ params: { account }, body: requestOf(draft, files), idempotencyKey: key });
  /** The send that a person confirmed: a repetition after a lost answer is the same send, and is not confirmed again. */
  const agreement = `${key} ${count}`;
  const [agreed, setAgreed] = useState<string | null>(null);
  const [asks, setAsks] = useState(false);
  const bodies: Readonly<Record<Draft["channel"], ReactNode>> = {
    sms: <Text {...fields} />,
    email: (
      <EmailFields
        {...fields}
        files={
          <Files
            names={draft.files}
            files={files}
            fault={fileFault(form.error)}
            onChange={(chosen, names) => {
              setFiles(chosen);
              change({ files: names });
            }}
          />
        }
      />
    ),
    whatsapp: <WhatsappFields {...fields} />,
  };
  return (
    <>
      <div className="sides">
        <Form
          of={form}
          verb={verb}
          // The tab keeps the input.
          guard={false}
          onSubmit={() => {
            // Without a file that the draft names, it would be a different mail.
            if (draft.channel === "email" && draft.files.length > files.length) return;
            if (count > unaskedMost && agreed !== agreement) setAsks(true);
            else send();
          }}
          more={
            <Button
              onClick={() => {
                form.reset();
                setFiles([]);
                setPending(newPending(search));
              }}
            >
              Clear
            </Button>
          }
        >
          <Choices
            label="Channel"
            of={channels}
            value={draft.channel}
            onChange={(channel) => {
              form.reset();
              change({ channel, gateway: "" });
            }}
          />
          <Recipients
            channel={draft.channel}
            text={draft.recipients}
            gateway={chosenOf(draft, gateways)}
            error={form.error}
            onChange={(recipients) => change({ recipients })}
          />
          <GatewayField {...fields} gateways={gateways} />
          {bodies[draft.channel]}
          <When {...fields} />
          <Doubt
            error={form.error}
            onRenew={() => {
              form.reset();
              setPending({ ...newPending(search), draft });
            }}
          />
        </Form>
        <div>
          <WouldHappen draft={draft} />
        </div>
      </div>
      <AsCode draft={draft} />
      {asks ? (
        <Agreement
          draft={draft}
          verb={verb}
          onClose={() => setAsks(false)}
          onAgree={() => {
            setAsks(false);
            setAgreed(agreement);
            send();
          }}
        />
      ) : null}
    </>
  );
}

/** Where a message is composed. `channel`, `to`, `gateway`, `subject` and `message` are taken from its address. */
export function Page() {
  const { id } = useAccount();
  const search = useSearch({ strict: false });
  const gateways = useRead("listGateways", { params: { account: id } });
  return (
    <>
      <PageHead title="Send" />
      {gateways.data === undefined ? (
        <Waiting error={gateways.error} />
      ) : (
        <Compose key={`${id} ${JSON.stringify(search)}`} search={search} gateways={gateways.data.data} />
      )}
    </>
  );
}
