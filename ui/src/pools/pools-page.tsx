import { useNavigate } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Sparkline } from "#ui/parts/charts/sparkline.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { Empty, PageHead, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { number } from "#ui/words/numbers.ts";
import { stateOf } from "./outcomes.ts";

function Members({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const health = useRead("getPoolHealth", { params: { account, pool: pool.id } });
  if (health.isPending) return <Waiting error={null} />;
  if (pool.members.length === 0) return <p className="warn">It has no members, so it cannot answer.</p>;
  return (
    <ul className="stack tight">
      {pool.members.map(({ id, name }) => {
        const known = health.data?.data.find(({ member }) => member === id);
        const shown = known === undefined ? null : stateOf(known);
        return (
          <li key={id} className="row apart">
            {name}
            {shown === null ? null : <Status of={shown.state}>{shown.word}</Status>}
          </li>
        );
      })}
    </ul>
  );
}

/** Requests in each hour that had any, and in total. */
function Requests({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const usage = useRead(
    "getPoolUsage",
    { params: { account, pool: pool.id }, query: { by: "hour" } },
    { every: 60_000 },
  );
  if (usage.data === undefined) return <Waiting error={usage.error} />;
  const hours = usage.data.data.toSorted((a, b) => a.group.localeCompare(b.group));
  const total = hours.reduce((sum, { requests }) => sum + requests, 0);
  const words = `${number(total)} ${total === 1 ? "request" : "requests"} in the last 30 days`;
  return (
    <div className="stack tight">
      {hours.length < 2 ? null : (
        <Sparkline values={hours.map(({ requests }) => requests)} words={`${words}, by hour`} />
      )}
      <p className="soft small">{words}</p>
    </div>
  );
}

function Add() {
  const { id: account } = useAccount();
  const navigate = useNavigate();
  const form = useForm("createPool", {
    onDone: ({ data }) => navigate({ to: "/a/$account/pools/$pool", params: { account, pool: data.id } }),
  });
  const { texts, field } = useTexts(form, { name: "" });
  return (
    <Form of={form} verb="Add the pool" onSubmit={() => form.send({ params: { account }, body: texts })}>
      <TextField label="Name" required {...field("name")} />
    </Form>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const read = useRead("listPools", { params: { account } });
  return (
    <>
      <PageHead title="AI pools">
        <DialogButton adds title="Add a pool" label="Add a pool">
          {() => <Add />}
        </DialogButton>
      </PageHead>
      {read.data === undefined ? <Waiting error={read.error} /> : null}
      {read.data?.data.length === 0 ? (
        <Empty icon={Bot}>
          <p>
            There is no pool yet. A pool is a set of AI providers behind one key, with failover between them.
          </p>
        </Empty>
      ) : null}
      <div className="grid">
        {read.data?.data.map((pool) => (
          <article key={pool.id} className="tile">
            <h2>
              <RowLink to="/a/$account/pools/$pool" params={{ account, pool: pool.id }}>
                {pool.name}
              </RowLink>
            </h2>
            <Members pool={pool} />
            <Requests pool={pool} />
          </article>
        ))}
      </div>
    </>
  );
}
