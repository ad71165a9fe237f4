import { Link } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import { usePages, useRead } from "#ui/api/queries.ts";
import type { Pool, PoolCall } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { picked } from "#ui/parts/list/query.ts";
import { FilterChoice } from "#ui/parts/list/search.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Clock } from "#ui/parts/time.tsx";
import { cost, duration, number } from "#ui/words/numbers.ts";
import { spanOf } from "#ui/words/spans.ts";
import { outcomeOf, reusedWords } from "./outcomes.ts";
import { PoolFrame } from "./pool-head.tsx";

/** The filters of the API that the page has, in the URL with the same names. */
const names = ["key", "member", "model", "status", "failed_by", "failed_over", "user", "tag"] as const;

const statuses = [
  ["2xx", "answered"],
  ["4xx", "refused (4xx)"],
  ["429", "too many (429)"],
  ["499", "caller gone (499)"],
  ["5xx", "failed (5xx)"],
] as const;

/** Members that were called besides the one that answered, and the outcomes. */
function Failed({ call }: { call: PoolCall }) {
  const lines = call.attempts
    .filter(({ outcome }) => outcome !== "ok")
    .map((attempt) => `${attempt.member}: ${outcomeOf(attempt)}`);
  return [...new Set(lines)].map((line) => {
    const times = lines.filter((other) => other === line).length;
    return (
      <div key={line} className="small soft">
        {line}
        {times === 1 ? "" : `, ${times} times`}
      </div>
    );
  });
}

function Filters({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const keys = useRead(
    "listPoolKeys",
    { params: { account, pool: pool.id }, query: { limit: 200 } },
    { every: false },
  );
  const members = pool.members.map(({ name }) => name);
  const models = [...new Set(pool.members.flatMap((member) => member.models))].sort();
  return (
    <div className="filters">
      <FilterChoice name="status" label="Status" of={statuses} />
      <FilterChoice name="key" label="Key" of={(keys.data?.data ?? []).map(({ id, name }) => [id, name])} />
      <FilterChoice name="member" label="Answered by" of={members} />
      <FilterChoice name="failed_by" label="Failed at" of={members} />
      <FilterChoice name="model" label="Model" of={models} />
      <FilterChoice
        name="failed_over"
        label="Failed over"
        of={[
          ["true", "yes"],
          ["false", "no"],
        ]}
      />
    </div>
  );
}

function Calls({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const zone = useZone();
  const { after, before, ...rest } = filter;
  const query = picked(filter, [...names, "after", "before"]);
  const isFiltered = Object.keys(query).length > 0;
  const pages = usePages("listPoolCalls", { params: { account, pool: pool.id }, query });
  return (
    <>
      <Filters pool={pool} />
      {after === undefined || before === undefined ? null : (
        <p>
          Those of {spanOf(Date.parse(after), Date.parse(before), zone)} ·{" "}
          <Link to="." search={rest as never}>
            Any time
          </Link>
        </p>
      )}
      <List
        label="Calls"
        icon={Activity}
        pages={pages}
        id={({ id }) => id}
        empty={
          isFiltered ? (
            <>
              <p>No call fits this filter.</p>
              <Link to="/a/$account/pools/$pool/calls" params={{ account, pool: pool.id }} className="button">
                Clear the filter
              </Link>
            </>
          ) : (
            <>
              <p>This pool has no calls yet. A call is listed about a second after its end.</p>
              <Link
                to="/a/$account/pools/$pool/playground"
                params={{ account, pool: pool.id }}
                className="button"
              >
                Ask something
              </Link>
            </>
          )
        }
        columns={[
          {
            head: "Status",
            cell: ({ status }) => (
              <Status of={status < 400 ? "ok" : status === 499 ? "cancelled" : "failed"}>{status}</Status>
            ),
          },
          {
            head: "Answered by",
            cell: (call) => (
              <>
                <RowLink
                  to="/a/$account/pools/$pool/calls/$call"
                  params={{ account, pool: pool.id, call: call.id }}
                  search={query}
                >
                  {call.member ?? (call.reused === null ? "none" : "an earlier answer")}
                </RowLink>{" "}
                {call.model === null ? null : <span className="soft">{call.model}</span>}{" "}
                {call.reused === null ? null : <span className="tag">{reusedWords[call.reused].tag}</span>}
                <Failed call={call} />
              </>
            ),
          },
          { head: "Kind", look: "wide", cell: ({ kind }) => kind },
          { head: "Key", cell: ({ key, key_name, person }) => key_name ?? person ?? <code>{key}</code> },
          {
            head: "Tokens in + out",
            look: "number",
            cell: ({ prompt_tokens, completion_tokens }) =>
              `${number(prompt_tokens)} + ${number(completion_tokens)}`,
          },
          { head: "Cost", look: "number", cell: (each) => cost(each.cost) },
          { head: "Took", look: "number", cell: ({ ms }) => duration(ms) },
          { head: "At", look: "when", cell: ({ at }) => <Clock at={at} /> },
        ]}
      />
    </>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Calls pool={pool} />}</PoolFrame>;
}
