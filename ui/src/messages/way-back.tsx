// Navigation from a message to the list that it was opened from, and to its neighbours there.

import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronDown, ChevronUp, type LucideIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { call } from "#ui/api/client.ts";
import { useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { lettersAct } from "#ui/parts/keys.ts";
import { Back } from "#ui/parts/link.tsx";
import { rememberOpened } from "#ui/parts/list/came-from.ts";
import { neighboursOf, readOn, type Trail, trailOf } from "./trail.ts";

function Neighbour({ id, icon: Icon, title }: { id: string | null; icon: LucideIcon; title: string }) {
  const { id: account } = useAccount();
  // It is read ahead, so that moving to the next message shows no empty page.
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

/** The list that the message was opened from. Once its last loaded row is shown, the following rows are read. */
function useTrail(account: string, message: string): Trail | null {
  const [trail, setTrail] = useState(() => trailOf(account));
  const isLast = trail !== null && trail.cursor !== null && trail.ids.at(-1) === message;
  useEffect(() => {
    if (!isLast) return;
    let isShown = true;
    const read = (query: Trail["query"]) => call("listAccountMessages", { params: { account }, query });
    // Without an answer, the list ends here as far as this page knows.
    readOn(trail, read).then(
      (longer) => isShown && setTrail(longer),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [account, isLast, trail]);
  return trail;
}

/** A link to the page with the list; without one, to the log. */
function ToList({ trail }: { trail: Trail | null }) {
  const { id: account } = useAccount();
  const { list, search = {} } = trail ?? {};
  if (list === "request" && search.request !== undefined)
    return (
      <Back to="/a/$account/requests/$request" params={{ account, request: search.request }} of="Request" />
    );
  const isScheduled = list === "scheduled";
  return (
    <Back
      to={isScheduled ? "/a/$account/scheduled" : "/a/$account/messages"}
      params={{ account }}
      search={search}
      of={isScheduled ? "Scheduled" : "Messages"}
    />
  );
}

export function WayBack({ message }: { message: string }) {
  const { id: account } = useAccount();
  const navigate = useNavigate();
  const trail = useTrail(account, message);
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
      <ToList trail={place === 0 ? null : trail} />
      {place === 0 ? null : (
        <nav className="row" aria-label="Previous and next in the list">
          <Neighbour id={before} icon={ChevronUp} title="Previous in the list ([)" />
          <Neighbour id={after} icon={ChevronDown} title="Next in the list (])" />
        </nav>
      )}
    </div>
  );
}
