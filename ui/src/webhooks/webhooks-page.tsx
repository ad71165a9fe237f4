import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, usePages } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { SecretOnce } from "#ui/parts/dialog.tsx";
import { Field, faultAt } from "#ui/parts/field.tsx";
import { List } from "#ui/parts/list.tsx";
import { PageHead, Problem } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { WebhookState } from "./webhook-state.tsx";

function Add() {
  const { id: account } = useAccount();
  const create = useChange("createWebhook", ["listWebhooks"]);
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("message.*");
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section className="card" aria-labelledby="add">
      <h2 id="add">Add an endpoint</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const patterns = events.split(/\s+/).filter((pattern) => pattern !== "");
          create.mutate(
            { params: { account }, body: { url, events: patterns } },
            {
              onSuccess: ({ data }) => {
                setSecret(data.secret);
                setUrl("");
                create.reset();
              },
            },
          );
        }}
      >
        <Field label="URL" hint="Events are posted to it, signed." fault={faultAt(create.error, "url")}>
          <input type="url" required value={url} onChange={(event) => setUrl(event.target.value)} />
        </Field>
        <Field
          label="Events"
          hint="Types or families, such as message.* gateway.* credit.low, or * for all."
          fault={faultAt(create.error, "events")}
        >
          <input
            required
            value={events}
            onChange={(event) => setEvents(event.target.value)}
            spellCheck={false}
          />
        </Field>
        <Problem error={create.error} />
        <div>
          <button type="submit" className="button first" disabled={create.isPending}>
            Add the endpoint
          </button>
        </div>
      </form>
      {secret === null ? null : (
        <SecretOnce
          title="The endpoint's secret"
          secret={secret}
          line="TRUNKLINE_WEBHOOK_SECRET"
          onStored={() => setSecret(null)}
        />
      )}
    </section>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const pages = usePages("listWebhooks", { params: { account } });
  return (
    <>
      <PageHead title="Webhooks" />
      <List
        label="Endpoints"
        pages={pages}
        id={({ id }) => id}
        empty={
          <p>
            There is no endpoint yet. With one, every change of every message is posted to your application.
          </p>
        }
        columns={[
          { head: "State", cell: (webhook) => <WebhookState webhook={webhook} /> },
          {
            head: "URL",
            look: "wrap",
            cell: ({ id, url }) => <Link to={`/a/${account}/webhooks/${id}`}>{url}</Link>,
          },
          { head: "Events", look: "wrap", cell: ({ events }) => <code>{events.join(" ")}</code> },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
      <Add />
    </>
  );
}
