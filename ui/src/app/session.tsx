// Who is signed in. An ended session lays the sign-in over the page, which keeps what was typed.

import { useQueryClient } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { onAnswer, setCsrfToken } from "#ui/api/client.ts";
import { reading, useRead } from "#ui/api/queries.ts";
import type { Session } from "#ui/api/schema.ts";
import { SessionContext } from "#ui/parts/account.ts";
import { Dialog } from "#ui/parts/dialog.tsx";
import { Waiting } from "#ui/parts/page.tsx";
import { SignIn } from "./sign-in.tsx";

export function SignedIn() {
  const client = useQueryClient();
  const session = useRead("getSession", {}, { every: false });
  const [ended, setEnded] = useState(false);
  const last = useRef<Session | null>(null);
  if (session.data !== undefined) {
    last.current = session.data.data;
    setCsrfToken(session.data.data.csrf_token);
  }
  useEffect(
    () =>
      onAnswer((status) => {
        if (status !== 401) return;
        reading.paused = true;
        setEnded(true);
      }),
    [],
  );
  const signedIn = (now: Session) => {
    setCsrfToken(now.csrf_token);
    client.setQueryData(["getSession", {}], { success: true, message: "", data: now });
    reading.paused = false;
    setEnded(false);
    void client.invalidateQueries();
  };
  if (last.current === null)
    return session.error?.status === 401 ? (
      <div className="alone">
        <main className="card">
          <h1>Trunkline</h1>
          <p className="soft">{location.host}</p>
          <SignIn onSignedIn={signedIn} />
        </main>
      </div>
    ) : (
      <div className="alone">
        <Waiting error={session.error} />
      </div>
    );
  return (
    <SessionContext value={last.current}>
      <Outlet />
      {ended ? (
        <Dialog title="Your session has ended" onClose={null}>
          <p>Sign in again. What you typed is kept.</p>
          <SignIn onSignedIn={signedIn} />
        </Dialog>
      ) : null}
    </SessionContext>
  );
}
