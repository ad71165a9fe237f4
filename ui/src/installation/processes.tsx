import type { InstallationDetailsReply } from "#ui/api/schema.ts";
import { Table } from "#ui/parts/list/table.tsx";
import { Section } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

/** The processes of the installation. A dead one is listed until another one has taken over its lanes. */
export function Processes({
  of: processes,
  answering: process,
}: {
  of: InstallationDetailsReply["data"]["processes"];
  answering: string;
}) {
  return (
    <Section title="Processes">
      <Table
        label="Processes"
        rows={processes}
        id={({ id }) => id}
        columns={[
          {
            head: "Process",
            cell: ({ id }) => (
              <>
                <code>{id}</code>
                {id === process ? <span className="soft"> · answers this page</span> : null}
              </>
            ),
          },
          { head: "Lanes", cell: ({ lanes }) => number(lanes) },
          {
            head: "Last heartbeat",
            cell: ({ heartbeat_at }) =>
              heartbeat_at === null ? "not seen yet" : <Time at={heartbeat_at} brief />,
          },
          { head: "Started", look: "when", cell: ({ started_at }) => <Time at={started_at} brief /> },
        ]}
      />
      <p className="hint">
        A lane is the queue of one gateway or webhook, or work of the installation's own. One process drives
        it at a time; when its heartbeats stop, another one takes its lanes over.
      </p>
    </Section>
  );
}
