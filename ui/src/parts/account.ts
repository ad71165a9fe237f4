// The current account and the signed-in person: the two values that nearly every part of a page needs.

import { createContext, use } from "react";
import type { Account, Session } from "#ui/api/schema.ts";

export const AccountContext = createContext<Account | null>(null);
export const SessionContext = createContext<Session | null>(null);

/** The account of the page. */
export function useAccount(): Account {
  const account = use(AccountContext);
  if (account === null) throw new Error("This page has no account.");
  return account;
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error("There is no session.");
  return session;
}

/** The zone in which instants are shown; UTC on pages without an account. */
export const useZone = (): string => use(AccountContext)?.time_zone ?? "UTC";
