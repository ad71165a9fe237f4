// The principal of a management request: a user with a session, or a program with a management token. Operators manage
// the whole installation, members one account.

import type { Role } from "#store/schema/identity.ts";

export interface Principal {
  kind: "user" | "token";
  id: string;
  /** For the audit log: the user's e-mail address, or the token's name. */
  name: string;
  role: Role;
  /** The account of a member; null: an operator. */
  accountId: string | null;
}

/** The one account that the principal may see; null: all of them. A member without an account sees none. */
export function onlyAccountOf({ role, accountId }: Principal): string | null {
  return role === "operator" ? null : (accountId ?? "");
}

/** Whether the principal may see and change this account. */
export function mayManage(principal: Principal, accountId: string): boolean {
  return principal.role === "operator" || principal.accountId === accountId;
}
