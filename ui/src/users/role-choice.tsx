import { useRead } from "#ui/api/queries.ts";
import { Choice } from "#ui/parts/form/field.tsx";

interface Named {
  id: string;
  name: string;
}

/** A role in the API's form. `account`: the empty text means an operator. */
export const roleOf = (account: string) =>
  account === "" ? { role: "operator" as const, account: null } : { role: "member" as const, account };

/** Roles: an operator may do everything, a member has one account. `now`: the current account, which may not be among those listed. */
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
