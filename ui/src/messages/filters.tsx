// The filters of the log. They are in the URL with the API's own names; `last` is a range that ends now, even in a link.

import { useNavigate } from "@tanstack/react-router";
import { Search, X } from "lucide-react";
import { useId, useState } from "react";
import { words } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { channels } from "#ui/parts/channels.ts";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { lastChoices } from "#ui/parts/list/query.ts";
import { FilterChoice, FilterText, GatewayFilter } from "#ui/parts/list/search.tsx";
import { instantIn, localIn } from "#ui/words/spans.ts";
import { lookupOf, lookups } from "./lookup.ts";

const rare = ["error", "test", "held"] as const;
const times = ["last", "created_from", "created_to"] as const;

function Find() {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const navigate = useNavigate();
  const found = lookups.map((name) => filter[name]).find((value) => value !== undefined) ?? "";
  const rest = Object.fromEntries(
    Object.entries(filter).filter(([name]) => !(lookups as readonly string[]).includes(name)),
  );
  const id = useId();
  return (
    <form
      className="find"
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get("find")).trim();
        const lookup = lookupOf(text);
        if ("page" in lookup) {
          void navigate({ to: "/a/$account/messages/$message", params: { account, message: lookup.page } });
          return;
        }
        // An id identifies its messages exactly; a recipient combines with the other filters.
        const kept = lookup.filter === "recipient" || text === "" ? rest : {};
        const search = text === "" ? kept : { ...kept, [lookup.filter]: lookup.value };
        void navigate({ to: ".", search, replace: true });
      }}
    >
      <div className="field">
        <label htmlFor={id}>Recipient, reference or id</label>
        <input id={id} key={found} name="find" type="search" defaultValue={found} autoComplete="off" />
      </div>
      <Button type="submit" aria-label="Find">
        <Search aria-hidden="true" />
      </Button>
    </form>
  );
}

/** The time range, on the clocks of the account's zone. */
function Between() {
  const [filter, , change] = useFilter();
  const zone = useZone();
  const field = (name: "created_from" | "created_to", label: string) => {
    const value = filter[name];
    return (
      <Field label={label}>
        <input
          type="datetime-local"
          key={value}
          defaultValue={value === undefined ? "" : localIn(Date.parse(value), zone)}
          onBlur={({ target }) => {
            const at = target.value === "" ? null : instantIn(target.value, zone);
            change({ last: undefined, [name]: at === null ? undefined : new Date(at).toISOString() });
          }}
        />
      </Field>
    );
  };
  return (
    <>
      {field("created_from", "Accepted from")}
      {field("created_to", "Accepted before")}
    </>
  );
}

export function Filters() {
  const [filter, , change] = useFilter();
  const navigate = useNavigate();
  const [more, setMore] = useState(() => rare.some((name) => filter[name] !== undefined));
  const isBetween = filter.created_from !== undefined || filter.created_to !== undefined;
  const [between, setBetween] = useState(isBetween);
  const isOpen = between || isBetween;
  const isSet = Object.values(filter).some((value) => value !== undefined);
  return (
    <div className="filters">
      <Find />
      <FilterChoice
        name="status"
        label="Status"
        of={[...words.MessageStatus, ["failed,undelivered,bounced,expired", "any failure"]]}
      />
      <FilterChoice name="channel" label="Channel" of={channels} />
      <GatewayFilter />
      <Choice
        label="Accepted"
        any="at any time"
        of={[...lastChoices, ["between", "between…"] as const]}
        value={isOpen ? "between" : (filter.last ?? "")}
        onChange={(value) => {
          setBetween(value === "between");
          if (value === "between") return;
          const none = Object.fromEntries(times.map((name) => [name, undefined]));
          change({ ...none, last: value === "" ? undefined : value });
        }}
      />
      {isOpen ? <Between /> : null}
      {more ? (
        <>
          <FilterText name="error" label="Error code" />
          <FilterChoice
            name="test"
            label="Tests"
            any="with the others"
            of={[
              ["true", "only tests"],
              ["false", "without tests"],
            ]}
          />
          <FilterChoice
            name="held"
            label="Held since a restore"
            any="with the others"
            of={[
              ["true", "only held"],
              ["false", "without held"],
            ]}
          />
        </>
      ) : (
        <Button look="bare" onClick={() => setMore(true)}>
          More filters
        </Button>
      )}
      {isSet ? (
        <Button
          look="bare"
          onClick={() => {
            setBetween(false);
            void navigate({ to: ".", search: {}, replace: true });
          }}
        >
          <X aria-hidden="true" /> Clear
        </Button>
      ) : null}
    </div>
  );
}
