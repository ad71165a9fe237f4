import { Link } from "@tanstack/react-router";
import { usePages } from "#ui/api/queries.ts";
import { type ListedAccount, words } from "#ui/api/schema.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { picked } from "#ui/parts/list/query.ts";
import { SearchFilter } from "#ui/parts/list/search.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Clock } from "#ui/parts/time.tsx";
import { leftOf, number } from "#ui/words/numbers.ts";
import { AddAccount } from "./add-account.tsx";

/** Messages since the account's day began, and things that need attention. As on the overview, tests are counted beside real messages. */
function Today({ of: { figures } }: { of: ListedAccount }) {
  const { today, held } = figures;
  const isReal = today.accepted + today.failed > 0;
  const { accepted, failed } = isReal ? today : today.tests;
  const tests = number(today.tests.accepted);
  return (
    <span className="row">
      <span>
        {accepted === 0 ? "none" : number(accepted)}
        {today.tests.accepted === 0 ? "" : isReal ? ` and ${tests} test` : " test messages"}
      </span>
      {failed === 0 ? null : <Status of="failed">{number(failed)} failed</Status>}
      {held === 0 ? null : <Status of="waiting">{number(held)} held</Status>}
    </span>
  );
}

/** The remaining credit of each limited channel. */
function creditOf({ plan, figures }: ListedAccount): string {
  const limited = words.Channel.flatMap((channel) => {
    const [left, of] = [figures.remaining[channel], plan.credit[channel]];
    return left === null ? [] : [`${channel} ${of === null ? number(left) : leftOf(left, of)}`];
  });
  return limited.length === 0 ? "unlimited" : limited.join(", ");
}

export function Page() {
  const [filter] = useFilter();
  const pages = usePages("listAccounts", { query: picked(filter, ["search"]) });
  return (
    <>
      <PageHead title="Accounts">
        <AddAccount />
      </PageHead>
      <SearchFilter label="Name" />
      <List
        label="Accounts"
        pages={pages}
        id={({ id }) => id}
        empty={
          <p>{filter.search === undefined ? "There is no account yet." : "No account has this name."}</p>
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
          { head: "Id", look: "wide", cell: ({ id }) => <code className="soft">{id}</code> },
          {
            head: "Plan",
            cell: ({ id, name, plan }) => (
              <Link
                to="/a/$account/settings"
                params={{ account: id }}
                aria-label={`${plan.name}: plan and limits of ${name}`}
              >
                {plan.name}
              </Link>
            ),
          },
          { head: "Today", cell: (account) => <Today of={account} /> },
          {
            head: "Credit left",
            look: "also",
            cell: (account) => (
              <Link
                to="/a/$account/credit"
                params={{ account: account.id }}
                aria-label={`${creditOf(account)}: credit of ${account.name}`}
              >
                {creditOf(account)}
              </Link>
            ),
          },
          {
            head: "People",
            look: "act",
            cell: ({ id, name }) => (
              <Link to="/users" search={{ account: id }} aria-label={`People of ${name}`}>
                People
              </Link>
            ),
          },
          { head: "Created", look: "when", cell: ({ created_at }) => <Clock at={created_at} /> },
        ]}
      />
    </>
  );
}
