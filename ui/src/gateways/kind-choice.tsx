// The kinds of gateways of a channel as cards with a description, searchable by name.

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Channel, GatewayKind } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { groupsOf } from "./kinds.ts";

export function KindChoice({ channel, kinds }: { channel: Channel; kinds: readonly GatewayKind[] }) {
  const { id: account } = useAccount();
  const [search, setSearch] = useState("");
  const groups = groupsOf(kinds, channel, search);
  return (
    <div className="stack">
      <Field label="Find a provider">
        <input
          type="search"
          value={search}
          autoComplete="off"
          placeholder="Twilio, SMPP, phone…"
          onChange={(event) => setSearch(event.target.value)}
        />
      </Field>
      {groups.length === 0 ? (
        <p role="status">
          No kind has this name. A provider with an HTTP API of its own is an{" "}
          <Link
            to="/a/$account/gateways/new"
            params={{ account }}
            search={{ channel: "sms", kind: "http-api" }}
          >
            http-api
          </Link>{" "}
          gateway.
        </p>
      ) : null}
      {groups.map(({ title, kinds: members }) => (
        <section key={title} className="stack" aria-label={title}>
          <h2>{title}</h2>
          <div className="grid">
            {members.map(({ kind, title: name, summary }) => (
              <article key={kind} className="tile kind">
                <span className="initials" aria-hidden="true">
                  {name.slice(0, 2)}
                </span>
                <div className="stack tight">
                  <h3>
                    <RowLink to="/a/$account/gateways/new" params={{ account }} search={{ channel, kind }}>
                      {name}
                    </RowLink>
                  </h3>
                  <p className="soft small">{summary}</p>
                </div>
              </article>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}
