import { useState } from "react";
import { useChange, usePages } from "#ui/api/queries.ts";
import type { Channel } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Ask } from "#ui/parts/dialog.tsx";
import { Choice, Field, faultAt } from "#ui/parts/field.tsx";
import { useFilter } from "#ui/parts/filter.ts";
import { List } from "#ui/parts/list.tsx";
import { PageHead, Problem } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

const channels = ["sms", "whatsapp", "email"] as const;

function Add() {
  const { id: account } = useAccount();
  const create = useChange("createSuppressions", ["listSuppressions"]);
  const [channel, setChannel] = useState<Channel>("sms");
  const [recipients, setRecipients] = useState("");
  const [note, setNote] = useState("");
  return (
    <section className="card" aria-labelledby="add">
      <h2 id="add">Suppress recipients</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const lines = recipients.split(/[\s,;]+/).filter((line) => line !== "");
          create.mutate({
            params: { account },
            body: { channel, recipients: lines, note: note === "" ? null : note },
          });
        }}
      >
        <Choice
          label="Channel"
          of={channels}
          value={channel}
          onChange={(word) => setChannel(word as Channel)}
          fault={faultAt(create.error, "channel")}
        />
        <Field
          label="Recipients"
          hint="Numbers or addresses, one per line. They get nothing more from this account."
          fault={faultAt(create.error, "recipients")}
        >
          <textarea required value={recipients} onChange={(event) => setRecipients(event.target.value)} />
        </Field>
        <Field label="Note" fault={faultAt(create.error, "note")}>
          <input value={note} onChange={(event) => setNote(event.target.value)} />
        </Field>
        <Problem error={create.error} />
        <div className="row">
          <button type="submit" className="button first" disabled={create.isPending}>
            Suppress
          </button>
          <span role="status">
            {create.data === undefined ? "" : `${number(create.data.data.added)} were added.`}
          </span>
        </div>
      </form>
    </section>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const [filter, setFilter] = useFilter();
  const query = {
    ...(filter.channel === undefined ? {} : { channel: filter.channel as Channel }),
    ...(filter.recipient === undefined ? {} : { recipient: filter.recipient }),
  };
  const pages = usePages("listSuppressions", { params: { account }, query });
  const remove = useChange("deleteSuppression", ["listSuppressions"]);
  return (
    <>
      <PageHead title="Suppressions" />
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setFilter("recipient", String(new FormData(event.currentTarget).get("recipient")).trim());
        }}
      >
        <Choice
          label="Channel"
          any="any"
          of={channels}
          value={filter.channel ?? ""}
          onChange={(word) => setFilter("channel", word)}
        />
        <Field label="Recipient">
          <input
            key={filter.recipient ?? ""}
            name="recipient"
            type="search"
            defaultValue={filter.recipient ?? ""}
          />
        </Field>
        <button type="submit" className="button">
          Find
        </button>
      </form>
      <List
        label="Suppressed recipients"
        pages={pages}
        id={({ channel, recipient }) => `${channel} ${recipient}`}
        empty={
          <p>
            {filter.recipient === undefined
              ? "No recipient is suppressed. Who answers STOP, or whose mail bounces, appears here."
              : `${filter.recipient} is not suppressed: messages of this account go out.`}
          </p>
        }
        columns={[
          { head: "Channel", cell: ({ channel }) => channel },
          { head: "Recipient", cell: ({ recipient }) => <span className="mono">{recipient}</span> },
          { head: "Reason", cell: ({ reason }) => reason.replaceAll("_", " ") },
          { head: "Note", cell: ({ note }) => note },
          { head: "Since", cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: "",
            cell: ({ channel, recipient, reason }) => (
              <Ask
                verb="Take off"
                label="Take off…"
                title={`Send to ${recipient} again`}
                effect={`The reason was: ${reason.replaceAll("_", " ")}. From then on messages of this account go out to ${recipient} by ${channel} again.`}
                run={() => remove.mutateAsync({ params: { account, channel, recipient } })}
              />
            ),
          },
        ]}
      />
      <Add />
    </>
  );
}
