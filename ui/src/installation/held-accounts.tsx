import { Link } from "@tanstack/react-router";
import type { InstallationDetailsReply } from "#ui/api/schema.ts";
import { Table } from "#ui/parts/list/table.tsx";
import { Section } from "#ui/parts/page.tsx";
import { number } from "#ui/words/numbers.ts";

/** The accounts whose messages a restore holds. */
export function HeldAccounts({ of }: { of: InstallationDetailsReply["data"]["held_accounts"] }) {
  return (
    <Section title="Held">
      <Table
        label="Held messages"
        rows={of}
        id={({ account }) => account}
        columns={[
          { head: "Account", cell: ({ name }) => name },
          {
            head: "Messages",
            cell: ({ account, name, messages }) => (
              <Link
                to="/a/$account/messages"
                params={{ account }}
                search={{ held: "true" }}
                aria-label={`${number(messages)} held messages of ${name}`}
              >
                {number(messages)}
              </Link>
            ),
          },
        ]}
      />
    </Section>
  );
}
