import { useParams } from "@tanstack/react-router";
import { usePages } from "#ui/api/queries.ts";
import type { AuditEntry } from "#ui/api/schema.ts";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { picked } from "#ui/parts/list/query.ts";
import { FilterText } from "#ui/parts/list/search.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Clock } from "#ui/parts/time.tsx";

/** `updateGateway` as `Update gateway`. */
const sentence = (action: string) =>
  `${action[0]?.toUpperCase()}${action
    .slice(1)
    .replaceAll(/([A-Z])/g, " $1")
    .toLowerCase()}`;

/** The audit log of one account, or of the whole installation. */
export function Page() {
  const { account } = useParams({ strict: false }) as { account?: string };
  const [filter] = useFilter();
  const query = picked(filter, ["actor", "action"]);
  const own = usePages(
    account === undefined ? "listAuditEntries" : "listAccountAuditEntries",
    (account === undefined ? { query } : { params: { account }, query }) as never,
  );
  return (
    <>
      <PageHead title={account === undefined ? "Audit log" : "Audit"} />
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <FilterText name="actor" label="Actor's id" example="usr_…" />
        <FilterText name="action" label="Action" example="updateGateway" />
      </form>
      <List<AuditEntry>
        label="Changes"
        pages={own as never}
        id={({ id }) => id}
        empty={<p>{Object.keys(query).length > 0 ? "No changes match this filter." : "No changes yet."}</p>}
        columns={[
          { head: "At", cell: ({ at }) => <Clock at={at} /> },
          {
            head: "Who",
            cell: ({ actor }) => (
              <span className="whole">
                {actor.name}
                {actor.kind === "user" ? null : (
                  <span className="soft"> {actor.kind.replaceAll("_", " ")}</span>
                )}
              </span>
            ),
          },
          { head: "Action", cell: ({ action }) => <span title={action}>{sentence(action)}</span> },
          { head: "Target", cell: ({ target }) => <code>{target}</code> },
          { head: "Fields", cell: ({ fields }) => fields.join(", ") },
          { head: "Outcome", cell: ({ outcome }) => outcome },
        ]}
      />
    </>
  );
}
