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
  if (session.account !== null)
    return <Navigate to="/a/$account" params={{ account: session.account }} replace />;
  if (accounts.data === undefined) return <Waiting error={accounts.error} />;
  const known = accounts.data.data;
  const last = recentAccounts()[0]?.id;
  const account = known.find(({ id }) => id === last) ?? known[0];
  return account === undefined ? (
    <Navigate to="/accounts" replace />
  ) : (
    <Navigate to="/a/$account" params={{ account: account.id }} replace />
  );
}
