import { useRead } from "#ui/api/queries.ts";
import { Choice } from "#ui/parts/form/field.tsx";

interface Named {
  id: string;
  name: string;
}

/** A role as the API takes it. `account`: the empty text stands for an operator. */
export const roleOf = (account: string) =>
  account === "" ? { role: "operator" as const } : { role: "member" as const, account };

/** Who may do what: an operator everything, a member one account. `now`: the account of today, which may be beyond those that are listed. */
export function RoleChoice({
  any,
  value,
  now,
  onChange,
  fault,
}: {
  any: string;
  value: string;
  now?: Named | null;
  onChange: (account: string) => void;
  fault: string | null;
}) {
  const accounts = useRead("listAccounts", { query: { limit: 100 } }, { every: false });
  const listed: readonly Named[] = accounts.data?.data ?? [];
  const all = now && !listed.some(({ id }) => id === now.id) ? [now, ...listed] : listed;
  return (
    <Choice
      label="Role"
      any={any}
      of={all.map(({ id, name }) => [id, `member of ${name}`] as const)}
      value={value}
      onChange={onChange}
      fault={fault}
    />
  );
}
