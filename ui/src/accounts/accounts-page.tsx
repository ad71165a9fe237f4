import { Search } from "lucide-react";
import { usePages } from "#ui/api/queries.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { AddAccount } from "./add-account.tsx";

export function Page() {
  const [filter, setFilter] = useFilter();
  const query = filter.search === undefined ? {} : { search: filter.search };
  const pages = usePages("listAccounts", { query });
  return (
    <>
      <PageHead title="Accounts">
        <AddAccount />
      </PageHead>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setFilter("search", String(new FormData(event.currentTarget).get("search")).trim());
        }}
      >
        <Field label="Name" wide>
          <input key={filter.search ?? ""} name="search" type="search" defaultValue={filter.search ?? ""} />
        </Field>
        <button type="submit" className="button" aria-label="Find">
          <Search aria-hidden="true" />
        </button>
      </form>
      <List
        label="Accounts"
        pages={pages}
        id={({ id }) => id}
        empty={
          <p>{filter.search === undefined ? "There is no account yet." : "No account has such a name."}</p>
        }
        columns={[
          {
            head: "Name",
            cell: ({ id, name }) => (
              <RowLink to="/a/$account" params={{ account: id }}>
                {name}
              </RowLink>
            ),
          },
          { head: "Id", look: "wrap", cell: ({ id }) => <code className="soft">{id}</code> },
          { head: "Plan", cell: ({ plan }) => plan.name },
          { head: "Zone", cell: ({ time_zone }) => time_zone },
          { head: "Made", look: "when", cell: ({ created_at }) => <Time at={created_at} brief /> },
        ]}
      />
    </>
  );
}
