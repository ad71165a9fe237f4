import { Link } from "@tanstack/react-router";
import { Search, Send } from "lucide-react";
import { useEffect, useState } from "react";
import { usePages } from "#ui/api/queries.ts";
import type { MessageRecord } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { FirstSend } from "#ui/parts/first-send.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Empty, PageHead } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Moment, Time, WithTimes } from "#ui/parts/time.tsx";
import { Filters } from "./filters.tsx";
import { LogHistogram } from "./histogram.tsx";
import { ManyActions, type Results, ResultsDialog } from "./many.tsx";
import { NoneFits } from "./none-fits.tsx";
import { queryOf } from "./range.ts";
import { rememberTrail } from "./trail.ts";
import { recipientOf, textOf } from "./words.ts";

/** When it goes out, of one that waits for its time; else when it was accepted. */
function When({ record }: { record: MessageRecord }) {
  if (record.status !== "scheduled" || record.scheduled_for === null)
    return <Time at={record.created_at} brief />;
  return (
    <span className="info">
      due <Moment at={record.scheduled_for} />
    </span>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const [now] = useState(() => Date.now());
  const query = queryOf(filter, now);
  const pages = usePages("listAccountMessages", { params: { account }, query: { ...query, brief: "true" } });
  const filtered = Object.keys(query).length > 0;
  const [results, setResults] = useState<Results | null>(null);
  // A trail of a list that is still under way would be that of the filter before.
  useEffect(() => {
    if (!pages.isPlaceholderData && pages.data !== undefined)
      rememberTrail({ account, search: filter, query }, pages.data.pages);
  });
  return (
    <>
      <PageHead title="Messages" />
      <Filters />
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
        columns={[
          {
            head: "Status",
            cell: ({ status, attempts }) => (
              <>
                <Status of={status} />
                {attempts > 1 ? <span className="soft"> {attempts}×</span> : null}
              </>
            ),
          },
          {
            head: "To",
            cell: (record) => (
              <RowLink to="/a/$account/messages/$message" params={{ account, message: record.id }}>
                <span className="mono">{recipientOf(record)}</span>
              </RowLink>
            ),
          },
          {
            head: "Message",
            look: "text",
            cell: (record) =>
              record.error === null ? (
                <span dir="auto" className="soft">
                  {textOf(record)}
                </span>
              ) : (
                <span title={textOf(record)}>
                  <WithTimes text={record.error.message} />
                </span>
              ),
          },
          { head: "Gateway", look: "wide", cell: ({ gateway_identifier }) => gateway_identifier },
          { head: "When", look: "when", cell: (record) => <When record={record} /> },
        ]}
      />
      {results === null ? null : <ResultsDialog {...results} onClose={() => setResults(null)} />}
    </>
  );
}
