import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { PoolMember, ProviderKind } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Ask } from "#ui/parts/dialog.tsx";
import { Choice, Field, faultAt } from "#ui/parts/field.tsx";
import { PageHead, Problem, Waiting } from "#ui/parts/page.tsx";
import type { Schema, Values } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";

const touched = ["getPool", "listPools", "getPoolHealth", "getPoolMember"] as const;

function Form({ kinds, member }: { kinds: readonly ProviderKind[]; member: PoolMember | null }) {
  const { id: account } = useAccount();
  const { pool = "" } = useParams({ strict: false }) as { pool?: string };
  const navigate = useNavigate();
  const create = useChange("createPoolMember", touched);
  const update = useChange("updatePoolMember", touched);
  const remove = useChange("deletePoolMember", touched);
  const [word, setWord] = useState(member?.kind ?? kinds[0]?.kind ?? "");
  const [name, setName] = useState(member?.name ?? "");
  const [models, setModels] = useState(member?.models.join("\n") ?? "");
  const [priority, setPriority] = useState(String(member?.priority ?? 1));
  const [weight, setWeight] = useState(String(member?.weight ?? 1));
  const [settings, setSettings] = useState<Values>(member?.settings ?? {});
  const kind = kinds.find((each) => each.kind === word);
  const error = create.error ?? update.error;
  const back = () => navigate({ to: `/a/${account}/pools/${pool}` });
  const submit = () => {
    const body = {
      kind: word,
      models: models.split(/\s+/).filter((model) => model !== ""),
      priority: Number(priority),
      weight: Number(weight),
      settings,
    };
    if (member === null)
      create.mutate({ params: { account, pool }, body: { name, ...body } }, { onSuccess: back });
    else
      update.mutate(
        { params: { account, pool, member: member.id }, body: { ...body, revision: member.revision } },
        { onSuccess: back },
      );
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
          setSettings({});
        }}
        fault={faultAt(error, "kind")}
      />
      <p className="soft">{kind?.summary}</p>
      {kind === undefined ? null : (
        <SchemaForm
          key={kind.kind}
          schema={kind.settings as Schema}
          path="settings"
          values={settings}
          error={error}
          onChange={setSettings}
        />
      )}
      <Field label="Models" hint="As the provider names them, one per line." fault={faultAt(error, "models")}>
        <textarea value={models} spellCheck={false} onChange={(event) => setModels(event.target.value)} />
      </Field>
      <Field
        label="Priority"
        hint="Members with the lowest number are tried first."
        fault={faultAt(error, "priority")}
      >
        <input type="number" value={priority} onChange={(event) => setPriority(event.target.value)} />
      </Field>
      <Field
        label="Weight"
        hint="Among members of one priority: the share of the calls."
        fault={faultAt(error, "weight")}
      >
        <input type="number" value={weight} onChange={(event) => setWeight(event.target.value)} />
      </Field>
      <Problem error={error} />
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
  const ready = kinds.data !== undefined && (member === undefined || read.data !== undefined);
  return (
    <>
      <p>
        <Link to={`/a/${account}/pools/${pool}`}>‹ The pool</Link>
      </p>
      <PageHead title={member === undefined ? "Add a member" : (read.data?.data.name ?? "Member")} />
      {ready ? (
        <Form kinds={kinds.data?.data ?? []} member={read.data?.data ?? null} />
      ) : (
        <Waiting error={kinds.error ?? read.error} />
      )}
    </>
  );
}
