// The current account, and switching to another one.

import { Link } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { loaded } from "#ui/app/code.ts";
import { useSession } from "#ui/parts/account.ts";
import type { Named } from "./recent-accounts.ts";

const load = () => loaded(() => import("./account-choice.tsx"));
const AccountChoice = lazy(async () => ({ default: (await load()).AccountChoice }));

/** The logo: a trunk with its lines. */
export function Mark() {
  return (
    <svg
      className="mark"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M3 4h14M10 4v12M3 10h4M13 10h4" />
    </svg>
  );
}

function Choice({ account }: { account: Named | null }) {
  const [isAsked, setAsked] = useState(false);
  const label = (
    <>
      <Mark />
      <span className="name">{account?.name ?? "Choose an account"}</span>
      <ChevronsUpDown className="end" aria-hidden="true" />
    </>
  );
  const button = (
    <button
      type="button"
      className="switch"
      aria-haspopup="dialog"
      aria-label={account === null ? "Choose an account" : `Account ${account.name}`}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setAsked(true)}
    >
      {label}
    </button>
  );
  if (!isAsked) return button;
  return (
    <Suspense fallback={button}>
      <AccountChoice account={account} label={label} />
    </Suspense>
  );
}

/** A member has only one account. */
export function AccountMenu({ account }: { account: Named | null }) {
  const { role } = useSession();
  if (role === "operator") return <Choice account={account} />;
  return (
    <Link to="/" className="switch">
      <Mark />
      <span className="name">{account?.name ?? "Trunkline"}</span>
    </Link>
  );
}
