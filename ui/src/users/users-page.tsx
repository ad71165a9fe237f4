import { useChange, usePages } from "#ui/api/queries.ts";
import { useSession } from "#ui/parts/account.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import { AddUser } from "./add-user.tsx";

export function Page() {
  const session = useSession();
  const pages = usePages("listUsers", {});
  const update = useChange("updateUser", ["listUsers"]);
  return (
    <>
      <PageHead title="Users">
        <AddUser />
      </PageHead>
      <List
        label="Users"
        pages={pages}
        id={({ id }) => id}
        empty={<p>There is no user yet.</p>}
        columns={[
          { head: "State", cell: ({ active }) => <Status of={active ? "active" : "off"} /> },
          { head: "E-mail address", look: "wrap", cell: ({ email }) => email },
          { head: "Name", look: "wrap", cell: ({ name }) => name },
          {
            head: "Role",
            look: "wrap",
            cell: ({ role, account }) => (account === null ? role : `${role} of ${account}`),
          },
          {
            head: "Signed in",
            cell: ({ signed_in_at }) => (signed_in_at === null ? "never" : <Time at={signed_in_at} brief />),
          },
          {
            head: "Actions",
            look: "act",
            cell: ({ id, email, active }) =>
              id === session.id ? null : (
                <Ask
                  verb={active ? "Switch off" : "Switch on"}
                  label={active ? "Switch off…" : "Switch on…"}
                  title={`${active ? "Switch off" : "Switch on"} ${email}`}
                  effect={
                    active
                      ? "The person's sessions end at once, and signing in is refused."
                      : "The person can sign in again."
                  }
                  grave={active}
                  run={() => update.mutateAsync({ params: { user: id }, body: { active: !active } })}
                />
              ),
          },
        ]}
      />
    </>
  );
}
