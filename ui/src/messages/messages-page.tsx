import { Link, useNavigate } from "@tanstack/react-router";
import { usePages, useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choice, Field } from "#ui/parts/field.tsx";
import { useFilter } from "#ui/parts/filter.ts";
import { Empty, Facts, More, PageHead, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time, WithTimes } from "#ui/parts/time.tsx";
import { lookupOf, lookups } from "./lookup.ts";
import { recipientOf, statuses, textOf } from "./words.ts";

const names = ["status", "channel", "gateway", "recipient", "request", "reference", "held"] as const;

/** Nothing fits: what was looked for, and what else the same text may be. */
function NoneFits({ query }: { query: Readonly<Record<string, string>> }) {
  const { recipient, reference } = query;
  const other =
    recipient !== undefined
      ? (["reference", recipient, "Look for it as a provider's reference"] as const)
      : reference !== undefined
        ? (["recipient", reference, "Look for it as a recipient"] as const)
        : null;
  return (
    <>
      <p>No message has all of this:</p>
      <Facts of={Object.entries(query).map(([name, value]) => [name, <code key={name}>{value}</code>])} />
      {other === null ? null : (
        <Link to="." search={{ [other[0]]: other[1] } as never} className="button">
          {other[2]}
        </Link>
      )}
    </>
  );
}

export function Page() {
  const account = useAccount();
  const [filter, setFilter] = useFilter();
  const navigate = useNavigate();
  const gateways = useRead("listGateways", { params: { account: account.id } }, { every: 60_000 });
  const query = Object.fromEntries(
    names.flatMap((name) => (filter[name] === undefined ? [] : [[name, filter[name]]])),
  );
  const pages = usePages("listAccountMessages", { params: { account: account.id }, query });
  const found = lookups.map((name) => filter[name]).find((value) => value !== undefined) ?? "";
  const rest = Object.fromEntries(
    Object.entries(filter).filter(([name]) => !(lookups as readonly string[]).includes(name)),
  );
  const filtered = Object.keys(query).length > 0;
  return (
    <>
      <PageHead title="Messages" />
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const text = String(new FormData(event.currentTarget).get("find")).trim();
          const lookup = lookupOf(text);
          if ("page" in lookup) {
            void navigate({ to: `/a/${account.id}/messages/${lookup.page}` });
            return;
          }
          // An id names its messages exactly; a recipient goes with the other filters.
          const kept = lookup.filter === "recipient" || text === "" ? rest : {};
          const search = text === "" ? kept : { ...kept, [lookup.filter]: lookup.value };
          void navigate({ to: ".", search: search as never, replace: true });
        }}
      >
        <Choice
          label="Status"
          any="any"
          of={statuses}
          value={filter.status ?? ""}
          onChange={(value) => setFilter("status", value)}
        />
        <Choice
          label="Channel"
          any="any"
          of={["sms", "whatsapp", "email"]}
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
        <Field label="Recipient, reference or id">
          <input key={found} name="find" type="search" defaultValue={found} autoComplete="off" />
        </Field>
        <button type="submit" className="button">
          Find
        </button>
      </form>
      {pages.data === undefined ? <Waiting error={pages.error} /> : null}
      {pages.error?.status === 422 && filtered ? <NoneFits query={query} /> : null}
      {pages.data !== undefined && pages.items.length === 0 ? (
        <Empty>
          {filtered ? (
            <>
              {pages.hasNextPage ? (
                <p>Nothing that fits yet. There are older messages to look through.</p>
              ) : (
                <NoneFits query={query} />
              )}
              <Link to="." search={{} as never} className="button">
                Clear the filter
              </Link>
            </>
          ) : (
            <p>
              Nothing has been sent yet. A message that an application sends with the account's API key
              appears here at once, and so does a{" "}
              <Link to={`/a/${account.id}/gateways`}>test through a gateway</Link>.
            </p>
          )}
        </Empty>
      ) : null}
      {pages.items.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
        <section className="table" aria-label="Messages" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Status</th>
                <th scope="col">To</th>
                <th scope="col">Message</th>
                <th scope="col">Gateway</th>
                <th scope="col">Accepted · {account.time_zone}</th>
              </tr>
            </thead>
            <tbody>
              {pages.items.map((record) => (
                <tr key={record.id}>
                  <td>
                    <Status of={record.status} />
                    {record.attempts > 1 ? <span className="soft"> {record.attempts}×</span> : null}
                  </td>
                  <td>
                    <Link to={`/a/${account.id}/messages/${record.id}`} className="mono">
                      {recipientOf(record)}
                    </Link>
                  </td>
                  <td className="text" dir="auto">
                    {record.error === null ? (
                      textOf(record)
                    ) : (
                      <span title={textOf(record)}>
                        <WithTimes text={record.error.message} />
                      </span>
                    )}
                  </td>
                  <td>{record.gateway_identifier}</td>
                  <td>
                    <Time at={record.created_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <More pages={pages} />
    </>
  );
}
