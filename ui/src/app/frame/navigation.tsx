// The navigation: at the side of a large screen, at the bottom of a phone's.

import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { accountPages, operatorPages, type Place, phonePages } from "#ui/app/pages.ts";
import { useSession } from "#ui/parts/account.ts";
import { Sheet } from "#ui/parts/over/dialog.tsx";
import { recentAccounts } from "./recent-accounts.ts";

function PlaceLink({
  place: { to, title, icon: Icon, key },
  account,
  onGo,
}: {
  place: Place;
  account: string | undefined;
  onGo?: () => void;
}) {
  return (
    <Link
      to={to}
      params={account === undefined ? {} : { account }}
      activeOptions={{ exact: to === "/a/$account", includeSearch: false }}
      title={title}
      {...(key === undefined ? {} : { "aria-keyshortcuts": `g ${key}` })}
      {...(onGo === undefined ? {} : { onClick: onGo })}
    >
      <Icon aria-hidden="true" />
      <span className="label">{title}</span>
    </Link>
  );
}

/** The pages of the account, or those of the installation on one of them. `account`: undefined on a page without one. `all`: both. */
export function Places({
  account,
  all = false,
  onGo,
}: {
  account: string | undefined;
  all?: boolean;
  onGo?: () => void;
}) {
  const { role } = useSession();
  const groups = [
    ...(account === undefined ? [] : accountPages),
    ...(role === "operator" && (all || account === undefined) ? [operatorPages] : []),
  ];
  return (
    <nav aria-label="Pages">
      {groups.map(({ title, places }) => (
        <div key={title ?? "first"} className="places-group">
          {title === null ? null : <h2>{title}</h2>}
          <ul className="places-list">
            {places.map((place) => (
              <li key={place.to}>
                <PlaceLink place={place} account={account} {...(onGo === undefined ? {} : { onGo })} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The bar at the bottom of a phone: four places, and the sheet with all of them. */
export function PhoneBar({ account: current }: { account: string | undefined }) {
  const [open, setOpen] = useState(false);
  // On a page without an account, it leads to the last one that was open.
  const account = current ?? recentAccounts()[0]?.id;
  return (
    <>
      <nav className="places" aria-label="Places">
        {account === undefined
          ? null
          : phonePages.map((place) => <PlaceLink key={place.to} place={place} account={account} />)}
        <button type="button" onClick={() => setOpen(true)} aria-haspopup="dialog">
          <Ellipsis aria-hidden="true" />
          <span>More</span>
        </button>
      </nav>
      <Sheet title="All pages" open={open} onClose={() => setOpen(false)}>
        <Places account={account} all onGo={() => setOpen(false)} />
      </Sheet>
    </>
  );
}
