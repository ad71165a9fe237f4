import { useChange, usePages } from "#ui/api/queries.ts";
import { KeyState } from "#ui/parts/form/renew.tsx";
import { List } from "#ui/parts/list/list.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Clock, Time } from "#ui/parts/time.tsx";
import { AddToken } from "./add-token.tsx";
import { scopesText } from "./token-scopes.ts";

const timeOr = (at: string | null, otherwise: string) =>
  at === null ? <span className="soft">{otherwise}</span> : <Time at={at} brief />;

export function Page() {
  const pages = usePages("listManagementTokens", {});
  const revoke = useChange("revokeManagementToken");
  return (
    <>
      <PageHead title="Tokens">
        <AddToken />
      </PageHead>
      <List
        label="Management tokens"
        pages={pages}
        id={({ id }) => id}
        empty={<p>There is no token yet. A token lets a program use the management API.</p>}
        columns={[
          { head: "State", cell: (token) => <KeyState of={token} /> },
          { head: "Name", cell: ({ name }) => name },
          { head: "Token", cell: ({ hint }) => <code>{hint}</code> },
          { head: "Role", cell: ({ role, account }) => (account === null ? role : `${role} of ${account}`) },
          {
            head: "May",
            cell: ({ scopes }) =>
              scopes === null ? <span className="soft">all that its role may</span> : scopesText(scopes),
          },
          { head: "Created", look: "when", cell: ({ created_at }) => <Clock at={created_at} /> },
          { head: "Last used", look: "when", cell: ({ last_used_at }) => timeOr(last_used_at, "never") },
          {
            head: "Ends",
            look: "when",
            cell: ({ expires_at, revoked_at }) => timeOr(revoked_at ?? expires_at, "no end"),
          },
          {
            head: "Actions",
            look: "act",
            cell: ({ id, name, revoked_at }) =>
              revoked_at === null ? (
                <Ask
                  verb="Revoke"
                  label="Revoke…"
                  title={`Revoke ${name}`}
                  effect="Programs that use it will be refused. This cannot be undone."
                  typed={name}
                  run={() => revoke.mutateAsync({ params: { token: id } })}
                />
              ) : null,
          },
        ]}
      />
    </>
  );
}
