import { useAccount } from "#ui/parts/account.ts";
import { PageHead } from "#ui/parts/page.tsx";
import { AuditList } from "./audit-list.tsx";

export function Page() {
  const { id } = useAccount();
  return (
    <>
      <PageHead title="Audit" />
      <AuditList account={id} />
    </>
  );
}
