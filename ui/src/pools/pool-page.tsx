import { Link } from "@tanstack/react-router";
import { Bot, Plus } from "lucide-react";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Empty } from "#ui/parts/page.tsx";
import { Deferred } from "./deferred.tsx";
import { Members } from "./members.tsx";
import { PoolFrame } from "./pool-head.tsx";
import { PoolFigures } from "./statistics/pool-figures.tsx";

function Overview({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const add = (
    <Link
      to="/a/$account/pools/$pool/members/new"
      params={{ account, pool: pool.id }}
      className="button first"
    >
      <Plus aria-hidden="true" /> Add a member
    </Link>
  );
  if (pool.members.length === 0)
    return (
      <Empty icon={Bot}>
        <p>
          It has no members yet, so it answers nothing. A member is one provider with its key and its models.
        </p>
        {add}
      </Empty>
    );
  return (
    <>
      <div>{add}</div>
      <Members pool={pool} />
      <Deferred pool={pool} />
      <PoolFigures key={pool.id} pool={pool} />
    </>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Overview pool={pool} />}</PoolFrame>;
}
