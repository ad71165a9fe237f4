import { Link, useNavigate } from "@tanstack/react-router";
import { Search, Send } from "lucide-react";
import { usePages, useRead } from "#ui/api/queries.ts";
import { type MessageRecord, words } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { FirstSend } from "#ui/parts/first-send.tsx";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Empty, PageHead } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Time, WithTimes } from "#ui/parts/time.tsx";
import { lookupOf, lookups } from "./lookup.ts";
import { ManyActions } from "./many.tsx";
import { NoneFits } from "./none-fits.tsx";
import { recipientOf, textOf } from "./words.ts";

const names = [
  "status",
  "channel",
  "gateway",
  "recipient",
  "request",
  "reference",
  "held",
  "created_from",
  "created_to",
] as const;

function Filters() {
  const { id: account } = useAccount();
  const [filter, setFilter] = useFilter();
  const navigate = useNavigate();
  const gateways = useRead("listGateways", { params: { account } }, { every: 60_000 });
  const found = lookups.map((name) => filter[name]).find((value) => value !== undefined) ?? "";
  const rest = Object.fromEntries(
    Object.entries(filter).filter(([name]) => !(lookups as readonly string[]).includes(name)),
  );
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get("find")).trim();
        const lookup = lookupOf(text);
        if ("page" in lookup) {
          void navigate({ to: "/a/$account/messages/$message", params: { account, message: lookup.page } });
          return;
        }
        // An id names its messages exactly; a recipient goes with the other filters.
        const kept = lookup.filter === "recipient" || text === "" ? rest : {};
        const search = text === "" ? kept : { ...kept, [lookup.filter]: lookup.value };
        void navigate({ to: ".", search, replace: true });
      }}
    >
      <Field label="Recipient, reference or id" wide>
        <input key={found} name="find" type="search" defaultValue={found} autoComplete="off" />
      </Field>
      <button type="submit" className="button" aria-label="Find">
        <Search aria-hidden="true" />
      </button>
      <Choice
        label="Status"
        any="any"
        of={words.MessageStatus}
        value={filter.status ?? ""}
        onChange={(value) => setFilter("status", value)}
      />
      <Choice
        label="Channel"
        any="any"
        of={words.Channel}
        value={filter.channel ?? ""}
        onChange={(value) => setFilter("channel", value)}
      />
      <Choice
        label="Gateway"
        any="any"
        of={gateways.data?.data.map(({ identifier }) => identifier) ?? []}
        value={filter.gateway ?? ""}
        onChange={(value) => setFilter("gateway", value)}
      />
    </form>
  );
}

/** When it goes out, of one that waits for its time; else when it was accepted. */
function When({ record }: { record: MessageRecord }) {
  if (record.status !== "scheduled" || record.scheduled_for === null)
    return <Time at={record.created_at} brief />;
  return (
    <span className="info">
      goes out <Due at={record.scheduled_for} over="now" />
    </span>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const query = Object.fromEntries(
    names.flatMap((name) => (filter[name] === undefined ? [] : [[name, filter[name]]])),
  );
  const pages = usePages("listAccountMessages", { params: { account }, query });
  const filtered = Object.keys(query).length > 0;
  return (
    <>
      <PageHead title="Messages" />
      <Filters />
      {pages.error?.status === 422 && filtered ? (
        <Empty icon={Search}>
          <NoneFits query={query} />
        </Empty>
      ) : null}
      <List
        label="Messages"
        pages={pages}
        id={({ id }) => id}
        actions={(chosen, clear) => <ManyActions chosen={chosen} clear={clear} />}
        icon={filtered ? Search : Send}
        empty={
          filtered ? (
            <NoneFits query={query} />
          ) : (
            <>
              <p>
                Nothing has been sent yet. A message that an application sends with the account's API key
                appears here at once, and so does a{" "}
                <Link to="/a/$account/gateways" params={{ account }}>
                  test through a gateway
                </Link>
                .
              </p>
              <FirstSend />
            </>
          )
        }
        columns={[
          {
            head: "Status",
            cell: ({ status, attempts }) => (
              <>
                <Status of={status} />
                {attempts > 1 ? <span className="soft"> {attempts}×</span> : null}
              </>
            ),
          },
          {
            head: "To",
            cell: (record) => (
              <RowLink to="/a/$account/messages/$message" params={{ account, message: record.id }}>
                <span className="mono">{recipientOf(record)}</span>
              </RowLink>
            ),
          },
          {
            head: "Message",
            look: "text",
            cell: (record) =>
              record.error === null ? (
                <span dir="auto" className="soft">
                  {textOf(record)}
                </span>
              ) : (
                <span title={textOf(record)}>
                  <WithTimes text={record.error.message} />
                </span>
              ),
          },
          { head: "Gateway", look: "also", cell: ({ gateway_identifier }) => gateway_identifier },
          { head: "When", look: "when", cell: (record) => <When record={record} /> },
        ]}
      />
    </>
  );
}
