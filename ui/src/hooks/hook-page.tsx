import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "#ui/api/client.ts";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Hook, NewHook } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { OnOff } from "#ui/parts/act.tsx";
import { Snippet } from "#ui/parts/copy.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { Back } from "#ui/parts/link.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { Facts, PageHead, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { Opened } from "#ui/schema-form/opened.tsx";
import { attentionWords } from "./attention.ts";
import { attentionOf, enteredOf, fieldsOf, HookFields, HookPreview, programOf } from "./hook-fields.tsx";
import { HookState, UrlOnce } from "./hooks-page.tsx";

function Actions({ hook }: { hook: Hook }) {
  const { id: account } = useAccount();
  const params = { account, hook: hook.id };
  const update = useChange("updateHook");
  const rotate = useChange("rotateHookKey");
  const remove = useChange("deleteHook");
  const navigate = useNavigate();
  const [made, setMade] = useState<NewHook | null>(null);
  const set = (active: boolean) => update.mutateAsync({ params, body: { active } });
  return (
    <>
      <OnOff name="The hook" active={hook.active} disabled={update.isPending} set={set} />
      <Ask
        verb="Create a new key"
        label="New key…"
        title="Create a new key"
        effect="The current key and the secret of its signatures stop working at once. The program needs the new ones."
        run={async () => {
          const { data } = await rotate.mutateAsync({ params });
          setMade(data);
          rotate.reset();
        }}
      />
      <Ask
        verb="Delete"
        label="Delete…"
        title="Delete this hook"
        effect={`What is posted to ${hook.name} is refused from now on. Its messages stay.`}
        run={async () => {
          await remove.mutateAsync({ params });
          await navigate({ to: "/a/$account/hooks", params: { account } });
        }}
      />
      <Problem error={update.error} />
      {made === null ? null : <UrlOnce of={made} onStored={() => setMade(null)} />}
    </>
  );
}

function Change({ of, reload }: { of: Hook; reload: () => Promise<void> }) {
  const { id: account } = useAccount();
  const [entered, setEntered] = useState(enteredOf(of));
  const form = useForm("updateHook", { says: "The hook is saved", onDone: reload });
  return (
    <Form
      of={form}
      verb="Save"
      reload={reload}
      onSubmit={() =>
        form.send({ params: { account, hook: of.id }, body: { ...fieldsOf(entered), revision: of.revision } })
      }
    >
      <HookFields of={entered} onChange={setEntered} form={form} />
      <HookPreview of={entered} hook={of.id} />
    </Form>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const { hook: id = "" } = useParams({ strict: false }) as { hook?: string };
  const read = useRead("getHook", { params: { account, hook: id } });
  const hook = read.data?.data;
  const attention = hook === undefined ? null : attentionOf(hook);
  return (
    <>
      <PageHead
        title={hook?.name ?? "Hook"}
        back={<Back to="/a/$account/hooks" params={{ account }} of="Hooks" />}
      >
        {hook === undefined ? null : <Actions hook={hook} />}
      </PageHead>
      {hook === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          <section aria-label="State">
            <Facts
              of={{
                State: <HookState hook={hook} />,
                Program: programOf(hook.preset),
                URL: <Snippet text={`${location.origin}/hooks/${hook.name}`} />,
                Key: <code>{hook.hint}</code>,
                Signature: hook.signed ? "required; a new key shows its secret" : null,
                Reports: attention && attentionWords(attention),
                "Last received":
                  hook.last_received_at === null ? "nothing yet" : <Time at={hook.last_received_at} />,
                "Last outcome": hook.last_outcome,
              }}
            />
          </section>
          <Section title="Messages">
            <Opened of={hook} read={() => call("getHook", { params: { account, hook: id } })}>
              {(stored, reload) => <Change of={stored} reload={reload} />}
            </Opened>
          </Section>
        </>
      )}
    </>
  );
}
