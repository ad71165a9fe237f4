import { PageHead } from "#ui/parts/page.tsx";
import { AuditList } from "./audit-list.tsx";

export function Page() {
  return (
    <>
      <PageHead title="Audit log" />
      <AuditList account={null} />
    </>
  );
}
