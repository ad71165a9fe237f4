import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, usePages, useRead } from "#ui/api/queries.ts";
import { type Webhook, words } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { OnOff } from "#ui/parts/act.tsx";
import { Button } from "#ui/parts/button.tsx";
import { Snippet } from "#ui/parts/copy.tsx";
import { Back, RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { lastChoices, listQuery } from "#ui/parts/list/query.ts";
import { FilterChoice } from "#ui/parts/list/search.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { More } from "#ui/parts/over/more.tsx";
import { SecretOnce } from "#ui/parts/over/secret-once.tsx";
import { Facts, PageHead, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Recipient } from "#ui/parts/recipient.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Clock, Due, Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { answered, TestAnswer, useBacklog } from "./backlog.tsx";
import { ChangeWebhook } from "./change-webhook.tsx";
import { LastDay, useDeliveries, webhookSeries } from "./last-day.tsx";
import { ReplaySince } from "./replay-since.tsx";
import { verifySnippet } from "./verify-snippet.ts";
import { WebhookState } from "./webhook-state.tsx";

function Actions({ webhook }: { webhook: Webhook }) {
  const { id: account } = useAccount();
  const params = { account, webhook: webhook.id };
  const test = useChange("testWebhook");
  const update = useChange("updateWebhook");
  const rotate = useChange("rotateWebhookSecret");
  const remove = useChange("deleteWebhook");
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Button
        look="first"
        disabled={test.isPending || !webhook.active}
        onClick={() => test.mutate({ params })}
      >
        Send a test
      </Button>
      <ReplaySince webhook={webhook} />
      <More of="this endpoint">
        <ChangeWebhook webhook={webhook} />
        <OnOff
          name="The endpoint"
          active={webhook.active}
          disabled={update.isPending}
          set={(active) => update.mutateAsync({ params, body: { active } })}
        />
        <Ask
          verb="Create a new secret"
          label="New secret…"
          title="Create a new secret"
          effect="Both secrets sign for a while, so that your application can be changed without losing an event."
          grave={false}
          run={async () => {
            const { data } = await rotate.mutateAsync({ params });
            setSecret(data.secret);
            rotate.reset();
          }}
        />
        <Ask
          verb="Delete"
          label="Delete…"
          title="Delete this endpoint"
          effect={`Nothing more is posted to ${webhook.name}. Waiting deliveries are dropped.`}
          run={async () => {
            await remove.mutateAsync({ params });
            await navigate({ to: "/a/$account/webhooks", params: { account } });
          }}
        />
      </More>
      {test.isSuccess ? <TestAnswer webhook={webhook.id} event={test.data.data.id} /> : null}
      <Problem error={test.error ?? update.error} />
      {secret === null ? null : (
        <SecretOnce
          title="The endpoint's new secret"
          secret={secret}
          line="TRUNKLINE_WEBHOOK_SECRET"
          onStored={() => setSecret(null)}
        />
      )}
    </>
  );
}

const filters = [
  ["status", "Status", words.DeliveryStatus],
  ["event", "Event", words.DeliveredEventType],
  ["last", "Happened", lastChoices],
] as const;

export function Page() {
  const { id: account } = useAccount();
  const { webhook: id = "" } = useParams({ strict: false }) as { webhook?: string };
  const [filter] = useFilter();
  const read = useRead("getWebhook", { params: { account, webhook: id } });
  const [now] = useState(() => Date.now());
  const query = listQuery(filter, ["status", "event"], now, useZone());
  const deliveries = usePages("listDeliveries", { params: { account, webhook: id }, query });
  const lastDay = webhookSeries(useDeliveries().data?.data, id);
  const backlog = useBacklog(id, lastDay?.total.given_up ?? 0);
  const webhook = backlog === null ? undefined : read.data?.data;
  return (
    <>
      <PageHead
        title={webhook?.name ?? "Webhook"}
        back={<Back to="/a/$account/webhooks" params={{ account }} of="Webhooks" />}
      >
        {webhook === undefined ? null : <Actions webhook={webhook} />}
      </PageHead>
      {webhook === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          <section aria-label="State">
            <Facts
              of={{
                State: <WebhookState webhook={webhook} />,
                URL: webhook.url,
                ...backlog,
                Events: <code>{webhook.events.join(" ")}</code>,
                "Old secret":
                  webhook.old_secret_until === null ? null : (
                    <span>
                      signs as well until <Time at={webhook.old_secret_until} />
                    </span>
                  ),
              }}
            />
          </section>
          <LastDay webhook={id} />
          <details className="why">
            <summary>How to verify a signature</summary>
            <p>
              Every post carries <code>webhook-id</code>, <code>webhook-timestamp</code> and{" "}
              <code>webhook-signature</code> (Standard Webhooks). Verify the bytes of the body before they are
              parsed, and drop an id that was seen before. In JavaScript, without a library:
            </p>
            <Snippet text={verifySnippet} block />
          </details>
          <Section title="Deliveries">
            <div className="filters">
              {filters.map(([name, label, of]) => (
                <FilterChoice key={name} name={name} label={label} of={of} />
              ))}
            </div>
            <List
              label="Deliveries"
              pages={deliveries}
              id={(delivery) => delivery.id}
              empty={
                <p>
                  {Object.keys(query).length === 0
                    ? "Nothing has been posted yet."
                    : "No delivery fits these filters."}
                </p>
              }
              columns={[
                { head: "Status", cell: (delivery) => <Status of={delivery.status} /> },
                {
                  head: "Event",
                  look: "whole",
                  cell: (delivery) => (
                    <RowLink
                      to="/a/$account/webhooks/$webhook/deliveries/$event"
                      params={{ account, webhook: id, event: delivery.id }}
                    >
                      {delivery.type}
                    </RowLink>
                  ),
                },
                {
                  head: "Message to",
                  look: "text",
                  cell: ({ message }) =>
                    message === null ? null : (
                      <Link to="/a/$account/messages/$message" params={{ account, message: message.id }}>
                        <Recipient of={message.recipient} />
                      </Link>
                    ),
                },
                { head: "Last answer", cell: ({ last_try: last }) => (last === null ? "" : answered(last)) },
                { head: "Tries", look: "number", cell: ({ attempts }) => number(attempts) },
                {
                  head: "Next try",
                  cell: ({ next_attempt_at }) =>
                    next_attempt_at === null ? "" : <Due at={next_attempt_at} over="due now" />,
                },
                { head: "Happened", look: "when", cell: ({ timestamp }) => <Clock at={timestamp} /> },
              ]}
            />
          </Section>
        </>
      )}
    </>
  );
}
