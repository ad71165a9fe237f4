import { Link, useParams } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { PageHead, Waiting } from "#ui/parts/page.tsx";

const tabs = [
  ["", "Members"],
  ["/calls", "Calls"],
  ["/usage", "Usage"],
  ["/keys", "Keys"],
  ["/playground", "Playground"],
  ["/settings", "Settings"],
] as const;

/** The frame of every page of a pool. */
export function PoolFrame({ children }: { children: (pool: Pool) => React.ReactNode }) {
  const { id: account } = useAccount();
  const { pool: id = "" } = useParams({ strict: false }) as { pool?: string };
  const read = useRead("getPool", { params: { account, pool: id } });
  return (
    <>
      <p>
        <Link to={`/a/${account}/pools`}>‹ AI pools</Link>
      </p>
      <PageHead title={read.data?.data.name ?? "Pool"} />
      <nav className="tabs" aria-label="Pages of the pool">
        {tabs.map(([path, title]) => (
          <Link
            key={path}
            to={`/a/${account}/pools/${id}${path}`}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {title}
          </Link>
        ))}
      </nav>
      {read.data === undefined ? <Waiting error={read.error} /> : children(read.data.data)}
    </>
  );
}
