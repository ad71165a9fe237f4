import { Link, useParams } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Back } from "#ui/parts/link.tsx";
import { PageHead, Waiting } from "#ui/parts/page.tsx";

const tabs = [
  ["/a/$account/pools/$pool", "Members"],
  ["/a/$account/pools/$pool/calls", "Calls"],
  ["/a/$account/pools/$pool/usage", "Usage"],
  ["/a/$account/pools/$pool/keys", "Keys"],
  ["/a/$account/pools/$pool/playground", "Playground"],
  ["/a/$account/pools/$pool/settings", "Settings"],
] as const;

/** The frame of every page of a pool. */
export function PoolFrame({ children }: { children: (pool: Pool) => React.ReactNode }) {
  const { id: account } = useAccount();
  const { pool: id = "" } = useParams({ strict: false }) as { pool?: string };
  const read = useRead("getPool", { params: { account, pool: id } });
  return (
    <>
      <PageHead
        title={read.data?.data.name ?? "Pool"}
        back={<Back to="/a/$account/pools" params={{ account }} of="AI pools" />}
      />
      <nav className="tabs" aria-label="Pages of the pool">
        {tabs.map(([path, title]) => (
          <Link
            key={path}
            to={path}
            params={{ account, pool: id }}
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
