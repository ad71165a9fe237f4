// Completions of a pool that are served later, as long as they wait or are in progress.

import { useChange, usePages, useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { Section, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

/** Nothing if none waits: most pools have none. */
export function Deferred({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const params = { account, pool: pool.id };
  const pages = usePages("listPoolDeferred", { params });
  const keys = useRead(
    "listPoolKeys",
    { params, query: { limit: 200 } },
    { enabled: pages.items.length > 0 },
  );
  const cancel = useChange("cancelPoolDeferred");
  if (pages.data === undefined) return <Waiting error={pages.error} />;
  if (pages.items.length === 0) return null;
  const nameOf = (key: string) => keys.data?.data.find(({ id }) => id === key)?.name ?? key;
  return (
    <Section title="Deferred completions">
      <List
        label="Deferred completions"
        pages={pages}
        id={({ id }) => id}
        empty={null}
        columns={[
          {
            head: "State",
            cell: ({ status }) =>
              status === "in_progress" ? <Status of="sending">under way</Status> : <Status of={status} />,
          },
          { head: "Id", look: "wide", cell: ({ id }) => <code className="soft">{id}</code> },
          { head: "Key", cell: ({ key }) => nameOf(key) },
          { head: "API", cell: ({ api }) => api?.replaceAll("_", " ") ?? "–" },
          {
            head: "Asked next",
            cell: ({ next_at }) => (next_at === null ? "–" : <Due at={next_at} over="now" />),
          },
          { head: "Tries", look: "number", cell: ({ attempts }) => number(attempts) },
          { head: "Ends", look: "when", cell: ({ expires_at }) => <Time at={expires_at} brief /> },
          {
            head: "Actions",
            look: "act",
            cell: ({ id, status, key }) => (
              <Ask
                verb="Cancel it"
                label="Cancel…"
                title={`Cancel ${id}`}
                effect={
                  status === "in_progress"
                    ? `${nameOf(key)} gets no answer. The attempt that is under way ends by itself.`
                    : `${nameOf(key)} gets no answer, and no member is asked.`
                }
                run={() => cancel.mutateAsync({ params: { ...params, completion: id } })}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}
