import { Link } from "@tanstack/react-router";
import { useChange, usePages, useRead } from "#ui/api/queries.ts";
import type { ListedUser } from "#ui/api/schema.ts";
import { useSession } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { picked } from "#ui/parts/list/query.ts";
import { SearchFilter } from "#ui/parts/list/search.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { More } from "#ui/parts/over/more.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Time } from "#ui/parts/time.tsx";
import { AddUser } from "./add-user.tsx";
import { ChangeUser } from "./change-user.tsx";
import { NewLink } from "./new-link.tsx";

/** Whether an invited person can still use the link, or it has expired unused. */
function State({ user: { active, set_up, setup_link_expires_at } }: { user: ListedUser }) {
  if (!active) return <Status of="off" />;
  if (set_up) return <Status of="active" />;
  return setup_link_expires_at === null ? (
    <Status of="waiting">needs a new link</Status>
  ) : (
    <Status of="pending">invited</Status>
  );
}

export function Page() {
  const session = useSession();
  const [filter, setFilter] = useFilter();
  const { account, search } = filter;
  const pages = usePages("listUsers", { query: picked(filter, ["account", "search"]) });
  const of = useRead(
    "getAccount",
    { params: { account: account ?? "" } },
    { every: false, enabled: account !== undefined },
  );
  const name = of.data?.data.name ?? account;
  const update = useChange("updateUser");
  return (
    <>
      <PageHead title="Users">
        <AddUser />
      </PageHead>
      <SearchFilter label="Name or email address" />
      {account === undefined ? null : (
        <p className="row">
          <span>Members of {name}; operators manage it as well.</span>
          <Button look="bare" onClick={() => setFilter("account", "")}>
            Show all
          </Button>
        </p>
      )}
      <List
        label="Users"
        pages={pages}
        id={({ id }) => id}
        empty={
          <p>
            {search !== undefined
              ? "No user has this name or address."
              : account === undefined
                ? "There is no user yet."
                : `${name} has no members: only operators manage it.`}
          </p>
        }
        columns={[
          { head: "State", cell: (user) => <State user={user} /> },
          { head: "Email address", cell: ({ email }) => email },
          { head: "Name", cell: ({ name }) => name },
          {
            head: "Role",
            cell: ({ role, account: of, account_name }) =>
              of === null ? (
                role
              ) : (
                <>
                  {role} of{" "}
                  <Link to="/a/$account" params={{ account: of }}>
                    {account_name ?? of}
                  </Link>
                </>
              ),
          },
          {
            head: "Signed in",
            cell: ({ signed_in_at, setup_link_expires_at }) => (
              <>
                {signed_in_at === null ? "never" : <Time at={signed_in_at} brief />}
                {setup_link_expires_at === null ? null : (
                  <span className="soft">
                    {" "}
                    · link ends <Due at={setup_link_expires_at} over="now" />
                  </span>
                )}
              </>
            ),
          },
          {
            head: "Actions",
            look: "act",
            cell: ({ active, ...user }) => (
              <span className="row">
                <ChangeUser user={{ ...user, active }} />
                {user.id === session.id ? null : (
                  <More of={user.email}>
                    {active ? <NewLink user={{ ...user, active }} /> : null}
                    <Ask
                      verb={active ? "Switch off" : "Switch on"}
                      label={active ? "Switch off…" : "Switch on…"}
                      title={`${active ? "Switch off" : "Switch on"} ${user.email}`}
                      effect={
                        active
                          ? "The person's sessions end at once, and they can no longer sign in."
                          : "The person can sign in again."
                      }
                      grave={active}
                      run={() => update.mutateAsync({ params: { user: user.id }, body: { active: !active } })}
                    />
                  </More>
                )}
              </span>
            ),
          },
        ]}
      />
    </>
  );
}
