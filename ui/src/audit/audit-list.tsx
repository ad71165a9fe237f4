import { useEffect, useState } from "react";
import { usePages } from "#ui/api/queries.ts";
import type { AuditEntry } from "#ui/api/schema.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Clock } from "#ui/parts/time.tsx";

/** `updateGateway` as `Update gateway`. */
const sentence = (action: string) =>
  `${action[0]?.toUpperCase()}${action
    .slice(1)
    .replaceAll(/([A-Z])/g, " $1")
    .toLowerCase()}`;

/** A text filter. It applies on Enter, and when the field loses the focus. */
function Word({ name, label, example }: { name: "actor" | "action"; label: string; example: string }) {
  const [filter, setFilter] = useFilter();
  const applied = filter[name] ?? "";
  const [text, setText] = useState(applied);
  useEffect(() => setText(applied), [applied]);
  const apply = () => {
    if (text.trim() !== applied) setFilter(name, text.trim());
  };
  return (
    <Field label={label}>
      <input
        type="search"
        placeholder={example}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
        }}
      />
    </Field>
  );
}

/** The audit log of one account, or of the whole installation. */
export function AuditList({ account }: { account: string | null }) {
  const [filter] = useFilter();
  const query = {
    ...(filter.actor === undefined ? {} : { actor: filter.actor }),
    ...(filter.action === undefined ? {} : { action: filter.action }),
  };
  const own = usePages(
    account === null ? "listAuditEntries" : "listAccountAuditEntries",
    (account === null ? { query } : { params: { account }, query }) as never,
  );
  return (
    <>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <Word name="actor" label="Actor's id" example="usr_…" />
        <Word name="action" label="Action" example="updateGateway" />
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
