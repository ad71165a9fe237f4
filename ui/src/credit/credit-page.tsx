import { Link } from "@tanstack/react-router";
import { Coins } from "lucide-react";
import { usePages, useRead } from "#ui/api/queries.ts";
import { words } from "#ui/api/schema.ts";
import { useAccount, useSession } from "#ui/parts/account.ts";
import { channelNames, channels } from "#ui/parts/channels.ts";
import { Choice } from "#ui/parts/form/field.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { Figures, PageHead, Waiting } from "#ui/parts/page.tsx";
import { Clock } from "#ui/parts/time.tsx";
import { leftOf, number } from "#ui/words/numbers.ts";
import { Grant } from "./grant.tsx";

/** The subject of an entry: requests and messages have pages. */
function Booked({ account, reference }: { account: string; reference: string | null }) {
  const shown = <code>{reference}</code>;
  if (reference?.startsWith("req_"))
    return (
      <Link to="/a/$account/requests/$request" params={{ account, request: reference }}>
        {shown}
      </Link>
    );
  if (reference?.startsWith("msg_"))
    return (
      <Link to="/a/$account/messages/$message" params={{ account, message: reference }}>
        {shown}
      </Link>
    );
  return shown;
}

export function Page() {
  const { id: account, plan } = useAccount();
  const { role } = useSession();
  const [filter, setFilter] = useFilter();
  const channel = words.Channel.find((word) => word === filter.channel) ?? "sms";
  const credit = useRead("getCredit", { params: { account } });
  const entries = usePages("listCreditEntries", { params: { account }, query: { channel } });
  return (
    <>
      <PageHead title="Credit">
        <span className="soft">Plan {plan.name}</span>
        {role === "operator" ? <Grant channel={channel} /> : null}
      </PageHead>
      {credit.data === undefined ? (
        <Waiting error={credit.error} />
      ) : (
        <Figures
          of={words.Channel.map((word) => {
            const balance = credit.data.data[word];
            return balance === null
              ? { name: channelNames[word], value: "unlimited" }
              : {
                  name: channelNames[word],
                  value: number(balance.remaining),
                  note: `left: ${leftOf(balance.remaining, balance.allowance)}`,
                };
          })}
        />
      )}
      <div className="filters">
        <Choice
          label="Channel"
          of={channels}
          value={channel}
          onChange={(word) => setFilter("channel", word)}
        />
      </div>
      <List
        label="Ledger"
        icon={Coins}
        pages={entries}
        id={({ kind, reference, at }) => `${kind} ${reference} ${at}`}
        empty={<p>No {channelNames[channel]} credit has been granted or used.</p>}
        columns={[
          { head: "At", cell: ({ at }) => <Clock at={at} /> },
          { head: "Kind", cell: ({ kind }) => kind },
          {
            head: "Reference",
            cell: ({ reference }) => <Booked account={account} reference={reference} />,
          },
          {
            head: "Amount",
            look: "number",
            cell: ({ amount }) => `${amount > 0 ? "+" : ""}${number(amount)}`,
          },
          { head: "Remaining", look: "number", cell: ({ remaining }) => number(remaining) },
          { head: "Note", cell: ({ note }) => note },
        ]}
      />
    </>
  );
}
