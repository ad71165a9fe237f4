import { useNavigate } from "@tanstack/react-router";
import { Siren } from "lucide-react";
import { useState } from "react";
import { usePages } from "#ui/api/queries.ts";
import type { Hook, NewHook } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { List } from "#ui/parts/list/list.tsx";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { Foot } from "#ui/parts/over/foot.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import { emptyHook, fieldsOf, HookFields, HookPreview, programOf } from "./hook-fields.tsx";

function Add({ onMade }: { onMade: (made: NewHook) => void }) {
  const { id: account } = useAccount();
  const [entered, setEntered] = useState(emptyHook);
  const form = useForm("createHook", { onDone: ({ data }) => onMade(data) });
  const { texts, field } = useTexts(form, { name: "" });
  return (
    <Form
      of={form}
      verb="Add the hook"
      onSubmit={() => form.send({ params: { account }, body: { ...texts, ...fieldsOf(entered) } })}
    >
      <TextField
        label="Name"
        hint="A part of its URL."
        required
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        placeholder="alerts"
        {...field("name")}
      />
      <HookFields of={entered} onChange={setEntered} form={form} />
      <HookPreview of={entered} />
    </Form>
  );
}

/** The URL with the key, and the secret of signatures, which are shown once. */
export function UrlOnce({ of, onStored }: { of: NewHook; onStored: () => void }) {
  return (
    <Dialog title="The hook's URL" onClose={null}>
      <p>
        Enter it where the program asks for a webhook URL. The key in it is shown only once. A program that
        can send <code>Authorization: Bearer</code> sends the key there instead, so that no proxy logs it.
      </p>
      <Snippet text={`${location.origin}/hooks/${of.name}?key=${encodeURIComponent(of.key ?? "")}`} block />
      {of.signed ? (
        <>
          <p>The program signs with this secret, which is shown only once too:</p>
          <Snippet text={of.secret} block />
        </>
      ) : null}
      <Foot verb="I have stored it" onAct={onStored} />
    </Dialog>
  );
}

export function HookState({ hook }: { hook: Hook }) {
  if (!hook.active) return <Status of="off" />;
  if (hook.last_outcome === null || hook.last_outcome === "accepted") return <Status of="active" />;
  return <Status of="failed">refused</Status>;
}

export function Page() {
  const { id: account } = useAccount();
  const pages = usePages("listHooks", { params: { account } });
  const navigate = useNavigate();
  const [made, setMade] = useState<NewHook | null>(null);
  return (
    <>
      <PageHead title="Hooks">
        <DialogButton adds title="Add a hook" label="Add a hook">
          {(close) => (
            <Add
              onMade={(each) => {
                close();
                setMade(each);
              }}
            />
          )}
        </DialogButton>
      </PageHead>
      {made === null ? null : (
        <UrlOnce
          of={made}
          onStored={() => navigate({ to: "/a/$account/hooks/$hook", params: { account, hook: made.id } })}
        />
      )}
      <List
        label="Hooks"
        pages={pages}
        id={({ id }) => id}
        icon={Siren}
        empty={
          <p>
            There is no hook yet. A hook turns what Alertmanager, Grafana, Uptime Kuma, GitHub or any other
            program posts into an SMS, a WhatsApp message or an email to the people you choose.
          </p>
        }
        columns={[
          { head: "State", cell: (hook) => <HookState hook={hook} /> },
          {
            head: "Name",
            cell: ({ id, name }) => (
              <RowLink to="/a/$account/hooks/$hook" params={{ account, hook: id }}>
                {name}
              </RowLink>
            ),
          },
          { head: "Program", cell: ({ preset }) => programOf(preset) },
          {
            head: "To",
            cell: ({ channel, to }) => (
              <>
                {channel} <span className="mono">{to.slice(0, 3).join(", ")}</span>
                {to.length > 3 ? ` and ${to.length - 3} more` : ""}
              </>
            ),
          },
          {
            head: "Last received",
            look: "when",
            cell: ({ last_received_at: at }) =>
              at === null ? <span className="soft">never</span> : <Time at={at} brief />,
          },
        ]}
      />
    </>
  );
}
