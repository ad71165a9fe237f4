import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Field, faultAt } from "#ui/parts/field.tsx";
import { Empty, PageHead, Problem, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";

function Members({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const health = useRead("getPoolHealth", { params: { account, pool: pool.id } });
  if (pool.members.length === 0) return <p className="warn">It has no members, so it answers nothing.</p>;
  return (
    <ul>
      {pool.members.map(({ id, name, kind }) => {
        const state = health.data?.data.find(({ member }) => member === id)?.state;
        return (
          <li key={id} className="row apart">
            <span>
              {name} <span className="soft">{kind}</span>
            </span>
            {state === undefined ? null : <Status of={state} />}
          </li>
        );
      })}
    </ul>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const read = useRead("listPools", { params: { account } });
  const create = useChange("createPool", ["listPools"]);
  const [name, setName] = useState("");
  const navigate = useNavigate();
  return (
    <>
      <PageHead title="AI pools" />
      {read.data === undefined ? <Waiting error={read.error} /> : null}
      {read.data?.data.length === 0 ? (
        <Empty>
          <p>
            There is no pool yet. A pool is a set of AI providers behind one key, with failover between them.
          </p>
        </Empty>
      ) : null}
      <div className="grid">
        {read.data?.data.map((pool) => (
          <article key={pool.id} className="card">
            <h2>
              <Link to={`/a/${account}/pools/${pool.id}`}>{pool.name}</Link>
            </h2>
            <Members pool={pool} />
          </article>
        ))}
      </div>
      <section className="card" aria-labelledby="add">
        <h2 id="add">Add a pool</h2>
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(
              { params: { account }, body: { name } },
              { onSuccess: ({ data }) => navigate({ to: `/a/${account}/pools/${data.id}` }) },
            );
          }}
        >
          <Field label="Name" fault={faultAt(create.error, "name")}>
            <input
              required
              value={name}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          <Problem error={create.error} />
          <div>
            <button type="submit" className="button first" disabled={create.isPending}>
              Add the pool
            </button>
          </div>
        </form>
      </section>
    </>
  );
}
