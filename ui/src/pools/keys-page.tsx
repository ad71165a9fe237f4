import { KeyRound } from "lucide-react";
import { useChange, usePages } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { AddKey } from "./add-key.tsx";
import { PoolFrame } from "./pool-head.tsx";

function Keys({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const pages = usePages("listPoolKeys", { params: { account, pool: pool.id } });
  const revoke = useChange("revokePoolKey", ["listPoolKeys"]);
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
          {
            head: "State",
            cell: ({ revoked_at }) =>
              revoked_at === null ? <Status of="active" /> : <Status of="off">revoked</Status>,
          },
          { head: "Name", look: "wrap", cell: ({ name }) => name },
          { head: "Key", cell: ({ hint }) => <code>{hint}</code> },
          {
            head: "Requests a minute",
            look: "number",
            cell: ({ limits }) => number(limits.requests_per_minute),
          },
          { head: "Tokens a day", look: "number", cell: ({ budget }) => number(budget.tokens_per_day) },
          { head: "Models", look: "wrap", cell: ({ models }) => models?.join(", ") ?? "all" },
          {
            head: "Ends",
            cell: ({ expires_at }) => (expires_at === null ? "never" : <Time at={expires_at} brief />),
          },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} brief /> },
          {
            head: "Actions",
            look: "act",
            cell: ({ id, name, revoked_at }) =>
              revoked_at === null ? (
                <Ask
                  verb="Revoke"
                  label="Revoke…"
                  title={`Revoke ${name}`}
                  effect="Applications that use it are refused from then on. It cannot be undone."
                  typed={name}
                  run={() => revoke.mutateAsync({ params: { account, pool: pool.id, key: id } })}
                />
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
