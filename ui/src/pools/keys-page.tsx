import { Link } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { useChange, usePages } from "#ui/api/queries.ts";
import type { Pool, PoolKey } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { KeyState, KeyText, LastUse, LastUsed } from "#ui/parts/form/renew.tsx";
import { RotateKey } from "#ui/parts/form/rotate-key.tsx";
import { List } from "#ui/parts/list/list.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { More } from "#ui/parts/over/more.tsx";
import { Due } from "#ui/parts/time.tsx";
import { AddKey } from "#ui/pools/keys/add-key.tsx";
import { ChangeKey } from "#ui/pools/keys/change-key.tsx";
import { Limits } from "#ui/pools/keys/key-limits.tsx";
import { cost, number } from "#ui/words/numbers.ts";
import { PoolFrame } from "./pool-head.tsx";

/** The used part of a limit, and the rest. */
function Spent({
  used,
  bound,
  unit,
  shown,
}: {
  used: number;
  bound: number;
  unit: string;
  shown: (n: number) => string;
}) {
  const isOver = used >= bound;
  return (
    <div className="stack tight">
      <span className={isOver ? "bad" : ""}>
        {shown(used)} of {shown(bound)} {unit}
        {isOver ? ": refused until it restarts" : ""}
      </span>
      <svg className="shares" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect className="rest" width="100" height="4" />
        <rect className={isOver ? "bad" : "used"} width={Math.min(100, (used / bound) * 100)} height="4" />
      </svg>
    </div>
  );
}

function Budget({ of: { budget, spent } }: { of: PoolKey }) {
  const parts = [
    [budget.tokens_per_day, spent.tokens_today, "tokens today", number],
    [budget.tokens_per_month, spent.tokens_this_month, "tokens this month", number],
    [
      budget.cost_per_month,
      spent.cost_this_month,
      spent.unpriced_this_month === 0
        ? "cost this month"
        : `cost this month, and ${number(spent.unpriced_this_month)} calls without a known price`,
      cost,
    ],
  ] as const;
  const bounds = parts.filter(([bound]) => bound !== null);
  if (bounds.length === 0)
    return <span className="soft">{number(spent.tokens_this_month)} tokens this month</span>;
  return bounds.map(([bound, used, unit, shown]) => (
    <Spent key={unit} used={used} bound={bound ?? 0} unit={unit} shown={shown} />
  ));
}

function Revoke({ pool, of }: { pool: Pool; of: PoolKey }) {
  const { id: account } = useAccount();
  const revoke = useChange("revokePoolKey");
  return (
    <Ask
      verb="Revoke"
      label="Revoke…"
      title={`Revoke ${of.name}`}
      effect={
        <>
          <LastUse at={of.last_used_at} endsNow />
          <p>Applications that use it will be refused. This cannot be undone.</p>
        </>
      }
      typed={of.name}
      run={() => revoke.mutateAsync({ params: { account, pool: pool.id, key: of.id } })}
    />
  );
}

function Keys({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const pages = usePages("listPoolKeys", { params: { account, pool: pool.id } });
  return (
    <>
      <div>
        <AddKey pool={pool} />
      </div>
      <List
        label="Keys"
        icon={KeyRound}
        pages={pages}
        id={({ id }) => id}
        empty={<p>There is no key yet, so no application can call this pool.</p>}
        columns={[
          { head: "State", cell: (key) => <KeyState of={key} /> },
          {
            head: "Key",
            cell: (key) => (
              <>
                <Link
                  to="/a/$account/pools/$pool/calls"
                  params={{ account, pool: pool.id }}
                  search={{ key: key.id }}
                >
                  {key.name}
                </Link>
                <KeyText of={key} />
                {key.models === null ? null : <div className="small soft">only {key.models.join(", ")}</div>}
              </>
            ),
          },
          { head: "Limits", cell: (key) => <Limits of={key} /> },
          { head: "Budget", cell: (key) => <Budget of={key} /> },
          {
            head: "Last used",
            look: "when",
            cell: ({ last_used_at, expires_at, revoked_at }) => (
              <>
                <LastUsed of={last_used_at} />
                {expires_at === null || revoked_at !== null ? null : (
                  <div className="small soft">
                    ends <Due at={expires_at} over="ended" />
                  </div>
                )}
              </>
            ),
          },
          {
            head: "Actions",
            look: "act",
            cell: (key) =>
              key.revoked_at === null ? (
                <span className="row">
                  <ChangeKey pool={pool} of={key} />
                  <More of={key.name}>
                    <RotateKey
                      by={{
                        get: "getPoolKey",
                        rotate: "rotatePoolKey",
                        params: { account, pool: pool.id, key: key.id },
                      }}
                      of={key}
                      line="OPENAI_API_KEY"
                    />
                    <Revoke pool={pool} of={key} />
                  </More>
                </span>
              ) : null,
          },
        ]}
      />
    </>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Keys pool={pool} />}</PoolFrame>;
}
