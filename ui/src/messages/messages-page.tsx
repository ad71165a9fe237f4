import { Link } from "@tanstack/react-router";
import { Search, Send } from "lucide-react";
import { useState } from "react";
import { usePages } from "#ui/api/queries.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { FirstSend } from "#ui/parts/first-send.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Empty, PageHead } from "#ui/parts/page.tsx";
import { messageColumns } from "./columns.tsx";
import { Export } from "./export/export.tsx";
import { Filters } from "./filters.tsx";
import { LogHistogram } from "./histogram.tsx";
import { ManyActions, type Results, ResultsDialog } from "./many.tsx";
import { NoneFits } from "./none-fits.tsx";
import { queryOf } from "./range.ts";
import { useRememberedTrail } from "./trail.ts";

export function Page() {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const [now] = useState(() => Date.now());
  const query = queryOf(filter, now, useZone());
  const pages = usePages("listAccountMessages", { params: { account }, query: { ...query, brief: "true" } });
  const filtered = Object.keys(query).length > 0;
  const [results, setResults] = useState<Results | null>(null);
  useRememberedTrail({ account, search: filter, query }, pages);
  return (
    <>
      <PageHead title="Messages">
        <Export readFrom={pages.readFrom} />
      </PageHead>
      <Filters />
      {filter.request === undefined ? null : (
        <p>
          <Link to="/a/$account/requests/$request" params={{ account, request: filter.request }}>
            This request as a whole
          </Link>
        </p>
      )}
      {filter.recipient === undefined ? null : (
        <p>
          <Link to="/a/$account/people/$recipient" params={{ account, recipient: filter.recipient }}>
            This recipient as a whole
          </Link>
        </p>
      )}
      <LogHistogram query={query} now={now} />
      {pages.error?.status === 422 && filtered ? (
        <Empty icon={Search}>
          <NoneFits query={query} />
        </Empty>
      ) : null}
      <List
        label="Messages"
        pages={pages}
        id={({ id }) => id}
        actions={(chosen, clear) => <ManyActions chosen={chosen} clear={clear} onResults={setResults} />}
        icon={filtered ? Search : Send}
        empty={
          filtered ? (
            <NoneFits query={query} />
          ) : (
            <>
              <p>
                Nothing has been sent yet. A message that an application sends with the account's API key
                appears here at once, and so does a{" "}
                <Link to="/a/$account/gateways" params={{ account }}>
                  test through a gateway
                </Link>
                .
              </p>
              <FirstSend />
            </>
          )
        }
        columns={messageColumns(account)}
      />
      {results === null ? null : <ResultsDialog {...results} onClose={() => setResults(null)} />}
    </>
  );
}
