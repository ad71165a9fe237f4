import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { PoolMember, ProviderKind } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Ask } from "#ui/parts/dialog.tsx";
import { Choice, Field, faultAt } from "#ui/parts/field.tsx";
import { PageHead, Problem, Waiting } from "#ui/parts/page.tsx";
import { changesOf, type Schema, type Values, withSettings } from "#ui/schema-form/model.ts";
import { Opened } from "#ui/schema-form/opened.tsx";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";

const touched = ["getPool", "listPools", "getPoolHealth", "getPoolMember"] as const;

function Form({
  kinds,
  member,
  reload,
}: {
  kinds: readonly ProviderKind[];
  member: PoolMember | null;
  reload: () => Promise<void>;
}) {
  const { id: account } = useAccount();
  const { pool = "" } = useParams({ strict: false }) as { pool?: string };
  const navigate = useNavigate();
  const create = useChange("createPoolMember", touched);
  const update = useChange("updatePoolMember", touched);
  const remove = useChange("deletePoolMember", touched);
  const [word, setWord] = useState(member?.kind ?? kinds[0]?.kind ?? "");
  const [name, setName] = useState(member?.name ?? "");
  const [values, setValues] = useState<Values>(member ?? { settings: {} });
  const kind = kinds.find((each) => each.kind === word);
  const schema = withSettings(forms.member as Schema, kind?.settings);
  const error = create.error ?? update.error;
  const back = () => navigate({ to: `/a/${account}/pools/${pool}` });
  const submit = () => {
    if (member === null) {
      const body = { name, kind: word, ...values };
      create.mutate({ params: { account, pool }, body }, { onSuccess: back });
    } else {
      // Of another kind, all settings are new.
      const [before, renewed] =
        word === member.kind ? [member, {}] : [{ ...member, settings: {} }, { kind: word }];
      const body = { ...changesOf(schema, before, values), ...renewed, revision: member.revision };
      update.mutate({ params: { account, pool, member: member.id }, body }, { onSuccess: back });
    }
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {member === null ? (
        <Field label="Name" fault={faultAt(error, "name")}>
          <input required value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
      ) : null}
      <Choice
        label="Kind"
        of={kinds.map((each) => [each.kind, each.title] as const)}
        value={word}
        onChange={(next) => {
          setWord(next);
          setValues({ ...values, settings: {} });
        }}
        fault={faultAt(error, "kind")}
      />
      <p className="soft">{kind?.summary}</p>
      <SchemaForm key={word} schema={schema} path="" values={values} error={error} onChange={setValues} />
      <Problem error={error} reload={reload} />
      <div className="row">
        <button type="submit" className="button first" disabled={create.isPending || update.isPending}>
          {member === null ? "Add the member" : "Save"}
        </button>
        {member === null ? null : (
          <Ask
            verb="Delete"
            label="Delete…"
            title={`Delete ${member.name}`}
            effect="Its settings and secrets are gone for good. Calls go to the other members."
            typed={member.name}
            run={async () => {
              await remove.mutateAsync({ params: { account, pool, member: member.id } });
              await back();
            }}
          />
        )}
      </div>
    </form>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const { pool = "", member } = useParams({ strict: false }) as { pool?: string; member?: string };
  const kinds = useRead("listProviderKinds", {}, { every: false });
  const read = useRead(
    "getPoolMember",
    { params: { account, pool, member: member ?? "" } },
    { every: false, enabled: member !== undefined },
  );
  const stored = () => call("getPoolMember", { params: { account, pool, member: member ?? "" } });
  const ready = kinds.data !== undefined && (member === undefined || read.data !== undefined);
  return (
    <>
      <p>
        <Link to={`/a/${account}/pools/${pool}`}>‹ The pool</Link>
      </p>
      <PageHead title={member === undefined ? "Add a member" : (read.data?.data.name ?? "Member")} />
      {ready ? (
        <Opened of={read.data?.data ?? null} read={stored}>
          {(opened, reload) => <Form kinds={kinds.data?.data ?? []} member={opened} reload={reload} />}
        </Opened>
      ) : (
        <Waiting error={kinds.error ?? read.error} />
      )}
    </>
  );
}
