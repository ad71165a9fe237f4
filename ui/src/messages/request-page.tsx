import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { usePages, useRead } from "#ui/api/queries.ts";
import type { AccountRequest } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { OutcomeBar } from "#ui/parts/charts/outcome-bar.tsx";
import { Snippet } from "#ui/parts/copy.tsx";
import { Back } from "#ui/parts/link.tsx";
import { List } from "#ui/parts/list/list.tsx";
import { Facts, Figures, PageHead, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Due, Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { messageColumns } from "./columns.tsx";
import { ManyActions, type Results, ResultsDialog } from "./many.tsx";
import { Estimate } from "./requests/estimate.tsx";
import { RequestActions } from "./requests/request-actions.tsx";
import { useRememberedTrail } from "./trail.ts";
import { counted } from "./words.ts";

function Sums({ request }: { request: AccountRequest }) {
  const { waiting, due, cost, cost_returned, messages } = request;
  const when = (at: string) => <Due at={at} over="now" />;
  return (
    <Figures
      of={[
        { name: "Messages", value: number(messages) },
        { name: "Waiting", value: number(waiting) },
        ...(due === null ? [] : [{ name: "First due", value: when(due.first) }]),
        ...(due === null || due.first === due.last ? [] : [{ name: "Last due", value: when(due.last) }]),
        {
          name: "Cost",
          value: number(cost - cost_returned),
          ...(cost_returned > 0 ? { note: `${number(cost_returned)} given back` } : {}),
        },
      ]}
    />
  );
}

function Messages({ request }: { request: string }) {
  const { id: account } = useAccount();
  const query = { request };
  const pages = usePages("listAccountMessages", { params: { account }, query: { ...query, brief: "true" } });
  const [results, setResults] = useState<Results | null>(null);
  useRememberedTrail({ account, list: "request", search: query, query }, pages);
  return (
    <Section
      title="Messages"
      actions={
        <Link to="/a/$account/messages" params={{ account }} search={query}>
          Filter them in the log
        </Link>
      }
    >
      <List
        label="Messages of the request"
        pages={pages}
        id={({ id }) => id}
        actions={(chosen, clear) => <ManyActions chosen={chosen} clear={clear} onResults={setResults} />}
        empty={<p>Its messages are no longer stored.</p>}
        columns={messageColumns(account)}
      />
      {results === null ? null : <ResultsDialog {...results} onClose={() => setResults(null)} />}
    </Section>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const { request = "" } = useParams({ strict: false });
  const read = useRead("getAccountRequest", { params: { account, request } });
  const known = read.data?.data;
  return (
    <>
      <PageHead
        title={known === undefined ? "Request" : `Request of ${counted(known.messages)}`}
        back={<Back to="/a/$account/messages" params={{ account }} of="Messages" />}
      >
        {known === undefined ? null : <RequestActions request={known} />}
      </PageHead>
      {known === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          <Problem error={read.error} />
          <Sums request={known} />
          {known.estimate === null ? null : <Estimate of={known.estimate} />}
          <OutcomeBar
            byStatus={known.by_status}
            link={(status, text) => (
              <Link to="/a/$account/messages" params={{ account }} search={{ request, status }}>
                {text}
              </Link>
            )}
          />
          <Facts
            of={{
              Id: <Snippet text={known.id} />,
              Channel: known.channel,
              Accepted: <Time at={known.created_at} />,
            }}
          />
          <Messages request={request} />
        </>
      )}
    </>
  );
}
