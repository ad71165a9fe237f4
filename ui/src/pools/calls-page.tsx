import { Fragment, useState } from "react";
import { usePages } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choice } from "#ui/parts/form/field.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { Facts } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import { cost, duration, number } from "#ui/words/numbers.ts";
import { CallStory } from "./call-story.tsx";
import { PoolFrame } from "./pool-head.tsx";

const names = ["member", "failed_over"] as const;

function Calls({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const [filter, setFilter] = useFilter();
  const [open, setOpen] = useState<string | null>(null);
  const query = Object.fromEntries(
    names.flatMap((name) => (filter[name] === undefined ? [] : [[name, filter[name]]])),
  );
  const pages = usePages("listPoolCalls", { params: { account, pool: pool.id }, query });
  const call = pages.items.find(({ id }) => id === open);
  return (
    <>
      <div className="filters">
        <Choice
          label="Served by"
          any="any member"
          of={pool.members.map(({ name }) => name)}
          value={filter.member ?? ""}
          onChange={(word) => setFilter("member", word)}
        />
        <Choice
          label="Failed over"
          any="either"
          of={[
            ["true", "yes"],
            ["false", "no"],
          ]}
          value={filter.failed_over ?? ""}
          onChange={(word) => setFilter("failed_over", word)}
        />
      </div>
      <List
        label="Calls"
        pages={pages}
        id={({ id }) => id}
        empty={
          <p>
            {Object.keys(query).length > 0
              ? "No call fits this filter."
              : "No call has come to this pool yet."}
          </p>
        }
        columns={[
          {
            head: "Status",
            cell: ({ status }) => <Status of={status < 400 ? "ok" : "failed"}>{status}</Status>,
          },
          {
            head: "At",
            cell: ({ id, at }) => (
              <button type="button" className="button plain" onClick={() => setOpen(id)}>
                <Time at={at} />
              </button>
            ),
          },
          { head: "Kind", cell: ({ kind }) => kind },
          {
            head: "Served by",
            look: "wrap",
            cell: ({ member, failed_over }) => (
              <>
                {member} {failed_over ? <span className="tag">failed over</span> : null}
              </>
            ),
          },
          { head: "Model", look: "wrap", cell: ({ model }) => model },
          { head: "Key", look: "wrap", cell: ({ key }) => key },
          {
            head: "Tokens in + out",
            look: "number",
            cell: ({ prompt_tokens, completion_tokens }) =>
              `${number(prompt_tokens)} + ${number(completion_tokens)}`,
          },
          { head: "Cost", look: "number", cell: (each) => cost(each.cost) },
          { head: "Took", look: "number", cell: ({ ms }) => duration(ms) },
        ]}
      />
      {call === undefined ? null : (
        <Dialog title="What happened in this call" onClose={() => setOpen(null)}>
          <CallStory call={call} />
          <Facts
            of={[
              ["Request", <code key="id">{call.id}</code>],
              ["Answered", `${call.status} in ${duration(call.ms)}`],
              ["First byte", call.first_byte_ms === null ? null : duration(call.first_byte_ms)],
              [
                "Tokens",
                <Fragment key="tokens">
                  {number(call.prompt_tokens)} + {number(call.completion_tokens)}
                  {call.estimated ? ", estimated" : ""}
                </Fragment>,
              ],
              ["User", call.user],
              ["Client's request", call.client_request_id],
            ]}
          />
          <p className="hint">What was asked and answered is not kept.</p>
          <div>
            <button type="button" className="button" onClick={() => setOpen(null)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Calls pool={pool} />}</PoolFrame>;
}
