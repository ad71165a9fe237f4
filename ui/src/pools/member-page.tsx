import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { PoolMember, ProviderKind } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choice } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField } from "#ui/parts/form/texts.tsx";
import { Back } from "#ui/parts/link.tsx";
import type { CardGroup } from "#ui/parts/list/card.ts";
import { Cards } from "#ui/parts/list/cards.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { Ask } from "#ui/parts/over/ask.tsx";
import { PageHead, Waiting } from "#ui/parts/page.tsx";
import { changesOf, type Schema, type Values, withSettings } from "#ui/schema-form/model.ts";
import { Opened } from "#ui/schema-form/opened.tsx";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";
import { capital, titlesOf } from "#ui/schema-form/words.ts";
import { CheckMember } from "./check-member.tsx";

function MemberForm({
  kinds,
  member,
  start,
  reload,
}: {
  kinds: readonly ProviderKind[];
  member: PoolMember | null;
  /** The kind of a new one, and its vendor. */
  start: Readonly<{ kind?: string; vendor?: string }>;
  reload: () => Promise<void>;
}) {
  const { id: account } = useAccount();
  const { pool = "" } = useParams({ strict: false });
  const navigate = useNavigate();
  const onDone = () => navigate({ to: "/a/$account/pools/$pool", params: { account, pool } });
  const create = useForm("createPoolMember", { says: "The member was added", onDone });
  const update = useForm("updatePoolMember", { says: "The member is saved", onDone });
  const remove = useChange("deletePoolMember");
  const [word, setWord] = useState(member?.kind ?? start.kind ?? "");
  const [name, setName] = useState(member?.name ?? "");
  const [values, setValues] = useState<Values>(
    member ?? { settings: start.vendor === undefined ? {} : { vendor: start.vendor } },
  );
  // A list that another control has changed is rendered anew.
  const [turn, setTurn] = useState(0);
  const kind = kinds.find((each) => each.kind === word);
  const schema = withSettings(forms.member as Schema, kind?.settings);
  const form = member === null ? create : update;
  const submit = () => {
    if (member === null) {
      create.send({ params: { account, pool }, body: { name, kind: word, ...values } });
    } else {
      // With another kind, all settings are new.
      const [before, renewed] =
        word === member.kind ? [member, {}] : [{ ...member, settings: {} }, { kind: word }];
      const body = { ...changesOf(schema, before, values), ...renewed, revision: member.revision };
      update.send({ params: { account, pool, member: member.id }, body });
    }
  };
  return (
    <Form
      of={form}
      onSubmit={submit}
      verb={member === null ? "Add the member" : "Save"}
      titleOf={titlesOf(schema)}
      reload={reload}
      more={
        member === null ? null : (
          <Ask
            verb="Delete"
            label="Delete…"
            title={`Delete ${member.name}`}
            effect="Its settings and secrets are permanently deleted. Calls are sent to the other members."
            typed={member.name}
            run={async () => {
              update.isTouched.current = false;
              await remove.mutateAsync({ params: { account, pool, member: member.id } });
              await onDone();
            }}
          />
        )
      }
    >
      {member === null ? (
        <>
          <p>
            <Link to="." search={{}}>
              Choose another provider
            </Link>
          </p>
          <TextField label="Name" required fault={form.fault("name")} value={name} onChange={setName} />
          <h2>{kind?.title}</h2>
        </>
      ) : (
        <Choice
          label="Kind"
          of={kinds.map((each) => [each.kind, each.title] as const)}
          value={word}
          onChange={(next) => {
            setWord(next);
            setValues({ ...values, settings: {} });
          }}
          fault={form.fault("kind")}
        />
      )}
      <p className="soft">{kind?.summary}</p>
      <SchemaForm
        key={`${word} ${turn}`}
        schema={schema}
        path=""
        values={values}
        error={form.error}
        folds
        onChange={setValues}
      />
      <CheckMember
        key={`check of ${word}`}
        pool={pool}
        body={{
          ...(member === null ? {} : { member: member.id }),
          kind: word,
          settings: (values.settings ?? {}) as Record<string, unknown>,
        }}
        models={(values.models ?? []) as string[]}
        onModels={(models) => {
          form.isTouched.current = true;
          setValues({ ...values, models });
          setTurn(turn + 1);
        }}
      />
    </Form>
  );
}

/** The kinds, and the vendors of those that have several. */
const groupsOf = (kinds: readonly ProviderKind[]): CardGroup[] => [
  {
    title: "Providers",
    cards: kinds.map(({ kind, title, summary }) => ({ name: title, summary, search: { kind } })),
  },
  ...kinds.map(({ kind, title, settings }) => {
    const { enum: vendors = [], words = {} } = (settings as Schema).properties?.vendor ?? {};
    const cards = vendors.map((vendor) => ({
      name: words[vendor] ?? capital(vendor),
      search: { kind, vendor },
    }));
    return { title, cards: cards.toSorted((a, b) => a.name.localeCompare(b.name)) };
  }),
];

export function Page() {
  const { id: account } = useAccount();
  const { pool = "", member } = useParams({ strict: false });
  const kinds = useRead("listProviderKinds", {}, { every: false });
  const read = useRead(
    "getPoolMember",
    { params: { account, pool, member: member ?? "" } },
    { every: false, enabled: member !== undefined },
  );
  const stored = () => call("getPoolMember", { params: { account, pool, member: member ?? "" } });
  const all = kinds.data?.data ?? [];
  const [chosen] = useFilter();
  const asks = member === undefined && !all.some(({ kind }) => kind === chosen.kind);
  const ready = kinds.data !== undefined && (member === undefined || read.data !== undefined);
  return (
    <>
      <PageHead
        title={member === undefined ? "Add a member" : (read.data?.data.name ?? "Member")}
        back={<Back to="/a/$account/pools/$pool" params={{ account, pool }} of="The pool" />}
      />
      {ready && asks ? (
        <Cards placeholder="OpenAI, Groq, Ollama…" none="No provider has this name." groups={groupsOf(all)} />
      ) : ready ? (
        <Opened key={`${chosen.kind} ${chosen.vendor}`} of={read.data?.data ?? null} read={stored}>
          {(opened, reload) => <MemberForm kinds={all} member={opened} start={chosen} reload={reload} />}
        </Opened>
      ) : (
        <Waiting error={kinds.error ?? read.error} />
      )}
    </>
  );
}
