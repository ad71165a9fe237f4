// The signed-in person. When a session ends, the sign-in covers the page, which keeps its input.

import { useQueryClient } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { onAnswer, onOtherPerson, setSession } from "#ui/api/client.ts";
import { session as open } from "#ui/api/freshness.ts";
import { useRead } from "#ui/api/queries.ts";
import type { Session } from "#ui/api/schema.ts";
import { SessionContext } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Waiting } from "#ui/parts/page.tsx";
import { forgetAllPending } from "#ui/send/pending.ts";
import { Mark } from "./frame/account-menu.tsx";
import { SignIn } from "./sign-in.tsx";

/** Another tab has signed in as another person: nothing of the previous person is shown or done under that name. */
function OtherPerson({ before, now }: { before: Session | null; now: Session | null }) {
  return (
    <div className="alone">
      <main className="card">
        <h1>Another person has signed in</h1>
        <p>
          {now?.name} has signed in in this browser, in another tab. What {before?.name} had on this page is
          dropped. A change that was asked for here since then was not made.
        </p>
        <div>
          <Button look="first" onClick={() => location.assign("/")}>
            Go on as {now?.name}
          </Button>
        </div>
      </main>
    </div>
  );
}

export function SignedIn() {
  const client = useQueryClient();
  const session = useRead("getSession", {}, { every: false });
  const [ended, setEnded] = useState(false);
  const last = useRef<Session | null>(null);
  const [other, setOther] = useState<Session | null>(null);
  const read = session.data?.data;
  const isOther =
    other !== null || (read !== undefined && last.current !== null && read.id !== last.current.id);
  // The token may be newer than this answer: a refused change reads the session itself.
  if (read !== undefined && read !== last.current && !isOther) {
    last.current = read;
    setSession(read);
  }
  useEffect(() => onOtherPerson(setOther), []);
  useEffect(() => {
    if (!isOther) return;
    open.hasEnded = true;
    forgetAllPending();
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "getSession" });
  }, [isOther, client]);
  useEffect(
    () =>
      onAnswer((status) => {
        if (status === 403) void client.invalidateQueries({ queryKey: ["getSession"] });
        if (status !== 401) return;
        open.hasEnded = true;
        setEnded(true);
      }),
    [client],
  );
  const role = last.current?.role;
  const hadRole = useRef(role);
  useEffect(() => {
    if (hadRole.current !== undefined && hadRole.current !== role) done(`Your role is ${role} now.`);
    hadRole.current = role;
  }, [role]);
  const signedIn = (now: Session) => {
    client.setQueryData(["getSession", {}], { success: true, message: "", data: now });
    open.hasEnded = false;
    setEnded(false);
    void client.invalidateQueries();
  };
  if (isOther) return <OtherPerson before={last.current} now={other ?? read ?? null} />;
  if (last.current === null)
    return session.error?.status === 401 ? (
      <div className="alone">
        <main className="card">
          <h1 className="row">
            <Mark /> Trunkline
          </h1>
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
          <p>Sign in again. Your input is kept, and the request is then completed.</p>
          <SignIn onSignedIn={signedIn} />
        </Dialog>
      ) : null}
    </SessionContext>
  );
}
