import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, usePages } from "#ui/api/queries.ts";
import { SecretOnce } from "#ui/parts/dialog.tsx";
import { Field, faultAt } from "#ui/parts/field.tsx";
import { useFilter } from "#ui/parts/filter.ts";
import { List } from "#ui/parts/list.tsx";
import { PageHead, Problem } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";

function Add() {
  const create = useChange("createAccount", ["listAccounts"]);
  const [name, setName] = useState("");
  const [zone, setZone] = useState("UTC");
  const [key, setKey] = useState<string | null>(null);
  return (
    <section className="card" aria-labelledby="add">
      <h2 id="add">Add an account</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(
            { body: { name, time_zone: zone } },
            {
              onSuccess: ({ data }) => {
                setKey(data.api_key);
                setName("");
                create.reset();
              },
            },
          );
        }}
      >
        <Field label="Name" fault={faultAt(create.error, "name")}>
          <input required value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="Time zone" fault={faultAt(create.error, "time_zone")}>
          <input required value={zone} onChange={(event) => setZone(event.target.value)} />
        </Field>
        <Problem error={create.error} />
        <div>
          <button type="submit" className="button first" disabled={create.isPending}>
            Add the account
          </button>
        </div>
      </form>
      {key === null ? null : (
        <SecretOnce
          title="The account's API key"
          secret={key}
          line="TRUNKLINE_KEY"
          onStored={() => setKey(null)}
        />
      )}
    </section>
  );
}

export function Page() {
  const [filter, setFilter] = useFilter();
  const query = filter.search === undefined ? {} : { search: filter.search };
  const pages = usePages("listAccounts", { query });
  return (
    <>
      <PageHead title="Accounts" />
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setFilter("search", String(new FormData(event.currentTarget).get("search")).trim());
        }}
      >
        <Field label="Name">
          <input key={filter.search ?? ""} name="search" type="search" defaultValue={filter.search ?? ""} />
        </Field>
        <button type="submit" className="button">
          Find
        </button>
      </form>
      <List
        label="Accounts"
        pages={pages}
        id={({ id }) => id}
        empty={
          <p>{filter.search === undefined ? "There is no account yet." : "No account has such a name."}</p>
        }
        columns={[
          { head: "Name", cell: ({ id, name }) => <Link to={`/a/${id}`}>{name}</Link> },
          { head: "Id", cell: ({ id }) => <code>{id}</code> },
          { head: "Plan", cell: ({ plan }) => plan.name },
          { head: "Zone", cell: ({ time_zone }) => time_zone },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
      <Add />
    </>
  );
}
