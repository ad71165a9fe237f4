// The current account, and switching to another one; all accounts can be searched by name.

import { Combobox } from "@base-ui/react/combobox";
import { Link, useNavigate } from "@tanstack/react-router";
import { Check, Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import { operatorPages } from "#ui/app/pages.ts";
import { type Named, ordered, recentAccounts } from "./recent-accounts.ts";

/** The searchable list, already open: its code is loaded when it is first needed. */
export function AccountChoice({ account, label }: { account: Named | null; label: ReactNode }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(true);
  const [search, setSearch] = useState("");
  const found = useRead(
    "listAccounts",
    { query: { limit: 50, ...(search.trim() === "" ? {} : { search: search.trim() }) } },
    { every: false, enabled: open, keep: true },
  );
  const items = ordered(recentAccounts(), found.data?.data ?? [], search);
  return (
    <Combobox.Root<Named>
      items={items}
      filter={null}
      value={account}
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        if (!next) setSearch("");
      }}
      inputValue={search}
      onInputValueChange={setSearch}
      itemToStringLabel={({ name }) => name}
      isItemEqualToValue={(one, other) => one.id === other.id}
      onValueChange={(next) => {
        if (next !== null) void navigate({ to: "/a/$account", params: { account: next.id } });
      }}
    >
      <Combobox.Trigger
        className="switch"
        aria-label={account === null ? "Choose an account" : `Account ${account.name}`}
      >
        {label}
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="menu" align="start" sideOffset={4} collisionPadding={8}>
          <Combobox.Popup className="menu-popup" aria-label="Accounts">
            <div className="menu-search">
              <Search aria-hidden="true" />
              <Combobox.Input placeholder="Find an account…" aria-label="Find an account" />
            </div>
            <Combobox.Empty>
              {found.data === undefined ? null : <p className="menu-label">No account has this name.</p>}
            </Combobox.Empty>
            <Combobox.List className="menu-list">
              {(each: Named) => (
                <Combobox.Item key={each.id} value={each} className="menu-item">
                  <span className="name">{each.name}</span>
                  <Combobox.ItemIndicator className="end">
                    <Check aria-hidden="true" />
                  </Combobox.ItemIndicator>
                </Combobox.Item>
              )}
            </Combobox.List>
            <hr />
            <p className="menu-label">{operatorPages.title}</p>
            {operatorPages.places.map(({ to, title, icon: Icon }) => (
              <Link key={to} to={to} className="menu-item" onClick={() => setOpen(false)}>
                <Icon aria-hidden="true" />
                <span className="name">{title}</span>
              </Link>
            ))}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
