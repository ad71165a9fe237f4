// The frame of every page: the account, the navigation and the signed-in person.

import { Link, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { CircleHelp, PanelLeft, Plus, Search } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { Account } from "#ui/api/schema.ts";
import { AccountContext, useSession } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Waiting } from "#ui/parts/page.tsx";
import { setPreference, usePreference } from "#ui/parts/preferences.ts";
import { Zone } from "#ui/parts/time.tsx";
import { loaded } from "./code.ts";
import { AccountMenu } from "./frame/account-menu.tsx";
import { HeldNotice } from "./frame/held-notice.tsx";
import { useKeptFocus } from "./frame/kept-focus.ts";
import { KeysDialog, useKeys } from "./frame/keys.tsx";
import { LiveDot } from "./frame/live-dot.tsx";
import { PhoneBar, Places } from "./frame/navigation.tsx";
import { PersonMenu } from "./frame/person-menu.tsx";
import { rememberAccount } from "./frame/recent-accounts.ts";
import { useLive } from "./live.ts";
import { Silence } from "./silence.tsx";

const loadFind = () => loaded(() => import("./frame/find-dialog.tsx"));
const FindDialog = lazy(async () => ({ default: (await loadFind()).FindDialog }));

interface Framed {
  account: string | undefined;
  named: Pick<Account, "id" | "name"> | null;
  children: React.ReactNode;
}

/** The frame of every page: navigation, account and session. `named`: the account, once it is known. */
export function Frame({ account, named, children }: Framed) {
  const [keysShown, showKeys] = useState(false);
  const side = usePreference("side");
  // Of the page that is shown, which is not that of the location while the next one is loading.
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const [finds, setFinds] = useState(false);
  const openKeys = useCallback(() => showKeys(true), []);
  const openFind = useCallback(() => setFinds(true), []);
  useKeys(account, openKeys, openFind);
  useKeptFocus();
  return (
    <>
      <a className="skip button" href="#content">
        Skip to the page
      </a>
      <div className="shell">
        <div className="side">
          <div className="side-head">
            <AccountMenu account={named} />
          </div>
          <Places account={account} />
          <div className="side-foot">
            <PersonMenu onKeys={openKeys} />
          </div>
        </div>
        <div className="body">
          <header className="bar">
            <span className="only-phone">
              <AccountMenu account={named} />
            </span>
            <Button
              look="bare"
              className="only-wide"
              aria-label={side === "wide" ? "Narrow navigation" : "Wide navigation"}
              onClick={() => setPreference("side", side === "wide" ? "narrow" : "wide")}
            >
              <PanelLeft aria-hidden="true" />
            </Button>
            <Button
              look="bare"
              aria-label="Find anything, Ctrl K"
              aria-keyshortcuts="/ Control+K"
              onPointerEnter={() => void loadFind()}
              onClick={openFind}
            >
              <Search aria-hidden="true" />
              <kbd className="kbd only-desk">Ctrl K</kbd>
            </Button>
            <span className="end">
              <LiveDot />
            </span>
            {account === undefined ? null : (
              <Link
                to="/a/$account/send"
                params={{ account }}
                className="button send"
                aria-label="Send messages"
                aria-keyshortcuts="c"
              >
                <Plus aria-hidden="true" />
                <span aria-hidden="true" className="only-desk">
                  Send
                </span>
              </Link>
            )}
            <Button look="bare" className="only-desk" aria-label="Keyboard shortcuts" onClick={openKeys}>
              <CircleHelp aria-hidden="true" />
            </Button>
            <span className="only-phone">
              <PersonMenu brief onKeys={openKeys} />
            </span>
          </header>
          <Silence />
          <main className="main" id="content" tabIndex={-1}>
            <HeldNotice account={named?.id} />
            {children}
            <Zone key={shown} />
          </main>
        </div>
      </div>
      <PhoneBar account={account} />
      {finds ? (
        <Suspense>
          <FindDialog account={account ?? null} onClose={() => setFinds(false)} />
        </Suspense>
      ) : null}
      <KeysDialog open={keysShown} onClose={() => showKeys(false)} />
    </>
  );
}

/** The frame of a page of one account. */
export function AccountShell() {
  const { account = "" } = useParams({ strict: false }) as { account?: string };
  const read = useRead("getAccount", { params: { account } }, { every: 60_000 });
  // An account that a person may no longer see disappears.
  const known = (read.error?.status === 404 ? null : read.data?.data) ?? null;
  useEffect(() => {
    if (known !== null) rememberAccount(known);
  }, [known]);
  // The stream is opened with the first read: what the page reads once the account is known is then newer than its hello.
  useLive(account);
  return (
    <AccountContext value={known}>
      <Frame account={account} named={known}>
        {known === null ? <Waiting error={read.error} /> : <Outlet key={account} />}
      </Frame>
    </AccountContext>
  );
}

/** The frame of an operator's page. */
export function OperatorShell() {
  const { role } = useSession();
  useLive(undefined);
  return (
    <Frame account={undefined} named={null}>
      {role === "operator" ? <Outlet /> : <p>Only an operator sees this.</p>}
    </Frame>
  );
}
