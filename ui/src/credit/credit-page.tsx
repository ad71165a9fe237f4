import { useState } from "react";
import { useChange, usePages, useRead } from "#ui/api/queries.ts";
import type { Channel } from "#ui/api/schema.ts";
import { useAccount, useSession } from "#ui/parts/account.ts";
import { Choice, Field, faultAt } from "#ui/parts/field.tsx";
import { useFilter } from "#ui/parts/filter.ts";
import { List } from "#ui/parts/list.tsx";
import { PageHead, Problem, Waiting } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

const channels = ["sms", "whatsapp", "email"] as const;

function Grant({ channel }: { channel: Channel }) {
  const { id: account } = useAccount();
  const grant = useChange("grantCredit", ["getCredit", "listCreditEntries"]);
  const [amount, setAmount] = useState("");
  const [note, setNote] = useState("");
  return (
    <section className="card" aria-labelledby="grant">
      <h2 id="grant">Grant credit for {channel}</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const body = { channel, amount: Number(amount), note: note === "" ? null : note };
          grant.mutate({ params: { account }, body }, { onSuccess: () => setAmount("") });
        }}
      >
        <Field label="Amount" hint="A negative one takes credit away." fault={faultAt(grant.error, "amount")}>
          <input type="number" required value={amount} onChange={(event) => setAmount(event.target.value)} />
        </Field>
        <Field label="Note" fault={faultAt(grant.error, "note")}>
          <input value={note} onChange={(event) => setNote(event.target.value)} />
        </Field>
        <Problem error={grant.error} />
        <div className="row">
          <button type="submit" className="button first" disabled={grant.isPending}>
            Grant
          </button>
          <span role="status">
            {grant.data === undefined ? "" : `${number(grant.data.data.remaining)} remain.`}
          </span>
        </div>
      </form>
    </section>
  );
}

export function Page() {
  const { id: account, plan } = useAccount();
  const { role } = useSession();
  const [filter, setFilter] = useFilter();
  const channel = channels.find((word) => word === filter.channel) ?? "sms";
  const credit = useRead("getCredit", { params: { account } });
  const entries = usePages("listCreditEntries", { params: { account }, query: { channel } });
  return (
    <>
      <PageHead title="Credit">
        <span className="soft">Plan {plan.name}</span>
      </PageHead>
      {credit.data === undefined ? (
        <Waiting error={credit.error} />
      ) : (
        <div className="grid">
          {channels.map((word) => {
            const balance = credit.data.data[word];
            return (
              <section key={word} className="card" aria-label={`Credit for ${word}`}>
                <h2>{word}</h2>
                <p>
                  {balance === null
                    ? "unlimited"
                    : `${number(balance.remaining)} of ${number(balance.allowance)} left`}
                </p>
              </section>
            );
          })}
        </div>
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
        pages={entries}
        id={({ kind, reference, at }) => `${kind} ${reference} ${at}`}
        empty={<p>Nothing has been booked for {channel}.</p>}
        columns={[
          { head: "At", cell: ({ at }) => <Time at={at} /> },
          { head: "Kind", cell: ({ kind }) => kind },
          { head: "Reference", cell: ({ reference }) => <code>{reference}</code> },
          {
            head: "Amount",
            look: "number",
            cell: ({ amount }) => `${amount > 0 ? "+" : ""}${number(amount)}`,
          },
          { head: "Remaining", look: "number", cell: ({ remaining }) => number(remaining) },
          { head: "Note", cell: ({ note }) => note },
        ]}
      />
      {role === "operator" ? <Grant channel={channel} /> : null}
    </>
  );
}
