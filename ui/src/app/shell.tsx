// The frame of every page: which account, where else to go, who is signed in.

import { Link, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useChange, useRead } from "#ui/api/queries.ts";
import { AccountContext, useSession } from "#ui/parts/account.ts";
import { Waiting } from "#ui/parts/page.tsx";
import { Zone } from "#ui/parts/time.tsx";
import { accountPages, operatorPages } from "./pages.ts";
import { Silence } from "./silence.tsx";

const themes = ["system", "light", "dark"] as const;

/** The colour scheme, which is the person's own and stays in the browser. */
function Theme() {
  const [theme, setTheme] = useState(() => localStorage.getItem("theme") ?? "system");
  useEffect(() => {
    localStorage.setItem("theme", theme);
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    <select aria-label="Colours" value={theme} onChange={(event) => setTheme(event.target.value)}>
      {themes.map((word) => (
        <option key={word} value={word}>
          {word}
        </option>
      ))}
    </select>
  );
}

function AccountChoice({ account }: { account: string | undefined }) {
  const accounts = useRead("listAccounts", { query: { limit: 100 } }, { every: 60_000 });
  const navigate = useNavigate();
  return (
    <select
      aria-label="Account"
      value={account ?? ""}
      onChange={(event) => event.target.value !== "" && navigate({ to: `/a/${event.target.value}` })}
    >
      {account === undefined ? <option value="">Account…</option> : null}
      {accounts.data?.data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Letters after `g` that lead to a page. */
function useKeys(account: string | undefined): void {
  const navigate = useNavigate();
  useEffect(() => {
    let after = Number.NEGATIVE_INFINITY;
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const typing = target.closest("input, textarea, select, dialog") !== null;
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const leads = event.timeStamp - after < 1_000;
      const page = accountPages.find(({ key }) => key === event.key);
      // The second `g` of two is a page's own letter.
      after = event.key === "g" && !leads ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (leads && page !== undefined && account !== undefined)
        void navigate({ to: `/a/${account}${page.path}` });
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [account, navigate]);
}

/** The frame of every page: navigation, account and session. */
export function Frame({ account, children }: { account: string | undefined; children: React.ReactNode }) {
  const session = useSession();
  const signOut = useChange("signOut");
  useKeys(account);
  const operator = session.role === "operator";
  return (
    <>
      <Silence />
      <div className="shell">
        <a className="skip" href="#content">
          Skip to the page
        </a>
        <header className="head">
          <Link to="/" className="name">
            Trunkline
          </Link>
          {operator ? <AccountChoice account={account} /> : null}
          <span className="push soft">
            {session.name} · {session.role}
          </span>
          <Theme />
          <a href="/docs">API</a>
          <button
            type="button"
            className="button"
            onClick={() => signOut.mutate({}, { onSettled: () => location.assign("/") })}
          >
            Sign out
          </button>
        </header>
        <nav className="nav" aria-label="Pages">
          {account === undefined ? null : (
            <ul>
              {accountPages.map(({ path, title, key }) => (
                <li key={path}>
                  <Link
                    to={`/a/${account}${path}`}
                    activeOptions={{ exact: path === "", includeSearch: false }}
                    aria-keyshortcuts={`g ${key}`}
                  >
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          )}
          {operator && operatorPages.length > 0 ? (
            <ul>
              {operatorPages.map(({ path, title }) => (
                <li key={path}>
                  <Link to={path} activeOptions={{ includeSearch: false }}>
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          ) : null}
        </nav>
        <main className="main" id="content" tabIndex={-1}>
          {children}
          <Zone />
        </main>
      </div>
    </>
  );
}

/** The frame of a page of one account. */
export function AccountShell() {
  const { account = "" } = useParams({ strict: false }) as { account?: string };
  const read = useRead("getAccount", { params: { account } }, { every: 60_000 });
  useEffect(() => {
    if (read.data !== undefined) localStorage.setItem("account", account);
  }, [account, read.data]);
  return (
    <AccountContext value={read.data?.data ?? null}>
      <Frame account={account}>{read.data === undefined ? <Waiting error={read.error} /> : <Outlet />}</Frame>
    </AccountContext>
  );
}

/** The frame of an operator's page. */
export function OperatorShell() {
  const { role } = useSession();
  return (
    <Frame account={undefined}>{role === "operator" ? <Outlet /> : <p>Only an operator sees this.</p>}</Frame>
  );
}
