// The principal of a management request: a user with a session, a program with a management token, or the command line of the
// machine. Operators manage the whole installation, members one account.

import type { TokenScope } from "#contract/manage/keys/token-scopes.ts";
import type { Role } from "#store/schema/identity.ts";

export interface Principal {
  kind: "user" | "token" | "command_line";
  id: string;
  /** For the audit log: the user's email address, the token's name, or "command line". */
  name: string;
  role: Role;
  /** The account of a member; null for an operator. */
  accountId: string | null;
  /** The scopes of a management token; null for all that the role allows. */
  scopes: readonly TokenScope[] | null;
  /** When a management token expires, epoch ms; null or absent if it does not. */
  endsAt?: number | null;
}

/** The principal of the operator's socket. */
export const commandLinePrincipal: Principal = {
  kind: "command_line",
  id: "command_line",
  name: "command line",
  role: "operator",
  accountId: null,
  scopes: null,
};

/** The one account that the principal may see; null for all. A member without an account sees none. */
export function onlyAccountOf({ role, accountId }: Principal): string | null {
  return role === "operator" ? null : (accountId ?? "");
}

/** Whether the principal may see and change this account. */
export function mayManage(principal: Principal, accountId: string): boolean {
  return principal.role === "operator" || principal.accountId === accountId;
}
