// From a message to the list that it was opened from, and to its neighbours there.

import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronDown, ChevronUp, type LucideIcon } from "lucide-react";
import { useEffect } from "react";
import { useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { lettersAct } from "#ui/parts/keys.ts";
import { Back } from "#ui/parts/link.tsx";
import { rememberOpened } from "#ui/parts/list/came-from.ts";
import { neighboursOf, trailOf } from "./trail.ts";

function Neighbour({ id, icon: Icon, title }: { id: string | null; icon: LucideIcon; title: string }) {
  const { id: account } = useAccount();
  // It is read ahead, so that going from one to the next shows no empty page.
  useRead(
    "getAccountMessage",
    { params: { account, message: id ?? "" } },
    { every: false, enabled: id !== null },
  );
  if (id === null) return null;
  return (
    <Link
      to="/a/$account/messages/$message"
      params={{ account, message: id }}
      replace
      className="button bare"
      aria-label={title}
      title={title}
    >
      <Icon aria-hidden="true" />
    </Link>
  );
}

export function WayBack({ message }: { message: string }) {
  const { id: account } = useAccount();
  const navigate = useNavigate();
  const trail = trailOf(account);
  const { before, after, place } = neighboursOf(trail?.ids ?? [], message);
  useEffect(() => rememberOpened(message), [message]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!lettersAct(event)) return;
      const next = event.key === "[" ? before : event.key === "]" ? after : null;
      if (next === null) return;
      void navigate({
        to: "/a/$account/messages/$message",
        params: { account, message: next },
        replace: true,
      });
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [account, after, before, navigate]);
  return (
    <div className="row apart">
      <Back to="/a/$account/messages" params={{ account }} search={place === 0 ? {} : (trail?.search ?? {})}>
        Messages
      </Back>
      {place === 0 ? null : (
        <nav className="row" aria-label="Neighbours in the list">
          <Neighbour id={before} icon={ChevronUp} title="Previous of the list ([)" />
          <Neighbour id={after} icon={ChevronDown} title="Next of the list (])" />
        </nav>
      )}
    </div>
  );
}
