import { Navigate } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import { useSession } from "#ui/parts/account.ts";
import { Waiting } from "#ui/parts/page.tsx";
import { recentAccounts } from "./frame/recent-accounts.ts";

/** `/`: the account that was open last, otherwise the only or the newest one. */
export function Page() {
  const session = useSession();
  const accounts = useRead(
    "listAccounts",
    { query: { limit: 100 } },
    { every: false, enabled: session.role === "operator" },
  );
  if (session.account === null && accounts.data === undefined) return <Waiting error={accounts.error} />;
  const known = accounts.data?.data ?? [];
  const last = recentAccounts()[0]?.id;
  const account = session.account ?? (known.find(({ id }) => id === last) ?? known[0])?.id;
  if (account === undefined) return <Navigate to="/accounts" replace />;
  return <Navigate to="/a/$account" params={{ account }} replace />;
}
