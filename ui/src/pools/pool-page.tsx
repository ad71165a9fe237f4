import { Link, useNavigate } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { Table } from "#ui/parts/list/table.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Empty, Problem } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due } from "#ui/parts/time.tsx";
import { duration, number } from "#ui/words/numbers.ts";
import { PoolFrame } from "./pool-head.tsx";

function Members({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const health = useRead("getPoolHealth", { params: { account, pool: pool.id } }, { every: 2_000 });
  const update = useChange("updatePoolMember", ["getPool", "listPools", "getPoolHealth"]);
  const of = (id: string) => health.data?.data.find(({ member }) => member === id);
  const members = pool.members.toSorted((a, b) => a.priority - b.priority);
  return (
    <>
      <Problem error={health.error ?? update.error} />
      <Table
        label="Members, in the order in which they are tried"
        rows={members}
        id={({ id }) => id}
        columns={[
          { head: "Priority", look: "number", cell: ({ priority }) => number(priority) },
          {
            head: "Member",
            cell: ({ id, name, kind }) => (
              <>
                <RowLink
                  to="/a/$account/pools/$pool/members/$member"
                  params={{ account, pool: pool.id, member: id }}
                >
                  {name}
                </RowLink>{" "}
                <span className="soft">{kind}</span>
              </>
            ),
          },
          {
            head: "State",
            cell: ({ id }) => {
              const state = of(id);
              if (state === undefined) return "";
              return (
                <>
                  <Status of={state.state} />
                  {state.until === null ? null : (
                    <>
                      {" "}
                      · to be tried again <Due at={state.until} over="now" />
                    </>
                  )}
                </>
              );
            },
          },
          { head: "Weight", look: "number", cell: ({ weight }) => number(weight) },
          { head: "Under way", look: "number", cell: ({ id }) => number(of(id)?.in_flight ?? 0) },
          {
            head: "First output",
            look: "number",
            cell: ({ id }) => {
              const ms = of(id)?.first_output_ms ?? null;
              return ms === null ? "" : duration(ms);
            },
          },
          { head: "Models", look: "text", cell: ({ models }) => models.join(", ") },
          {
            head: "Actions",
            look: "act",
            cell: (member) => (
              <button
                type="button"
                className="button"
                disabled={update.isPending}
                onClick={() => {
                  const set = (active: boolean) => ({
                    params: { account, pool: pool.id, member: member.id },
                    body: { active },
                  });
                  update.mutate(set(!member.active), {
                    onSuccess: () =>
                      done(`${member.name} is switched ${member.active ? "off" : "on"}`, () =>
                        update.mutateAsync(set(member.active)),
                      ),
                  });
                }}
              >
                {member.active ? "Switch off" : "Switch on"}
              </button>
            ),
          },
        ]}
      />
      <p className="hint">The states are those that this process sees.</p>
    </>
  );
}

function Overview({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const remove = useChange("deletePool", ["listPools"]);
  const navigate = useNavigate();
  return (
    <>
      <div className="row">
        <Link
          to="/a/$account/pools/$pool/members/new"
          params={{ account, pool: pool.id }}
          className="button first"
        >
          Add a member
        </Link>
        <Ask
          verb="Delete"
          label="Delete the pool…"
          title={`Delete ${pool.name}`}
          effect="Its members and its keys go with it. Applications that use them are refused from then on."
          typed={pool.name}
          run={async () => {
            await remove.mutateAsync({ params: { account, pool: pool.id } });
            await navigate({ to: "/a/$account/pools", params: { account } });
          }}
        />
      </div>
      {pool.members.length === 0 ? (
        <Empty icon={Bot}>
          <p>
            It has no members yet, so it answers nothing. A member is one provider with its key and its
            models.
          </p>
        </Empty>
      ) : (
        <Members pool={pool} />
      )}
    </>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Overview pool={pool} />}</PoolFrame>;
}
