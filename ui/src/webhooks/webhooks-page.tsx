import { Webhook } from "lucide-react";
import { usePages } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { List } from "#ui/parts/list/list.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Clock } from "#ui/parts/time.tsx";
import { AddWebhook } from "./add-webhook.tsx";
import { LastDayLine, useDeliveries } from "./last-day.tsx";
import { WebhookState } from "./webhook-state.tsx";

export function Page() {
  const { id: account } = useAccount();
  const pages = usePages("listWebhooks", { params: { account } });
  const statistics = useDeliveries();
  return (
    <>
      <PageHead title="Webhooks">
        <AddWebhook />
      </PageHead>
      <List
        label="Endpoints"
        pages={statistics.isPending ? { ...pages, data: undefined } : pages}
        id={({ id }) => id}
        icon={Webhook}
        empty={
          <p>
            There is no endpoint yet. With one, every change of every message is posted to your application,
            signed, and again until it answers.
          </p>
        }
        columns={[
          { head: "State", cell: (webhook) => <WebhookState webhook={webhook} /> },
          {
            head: "Name",
            look: "whole",
            cell: ({ id, name }) => (
              <RowLink to="/a/$account/webhooks/$webhook" params={{ account, webhook: id }}>
                {name}
              </RowLink>
            ),
          },
          { head: "URL", look: "text", cell: ({ url }) => <span className="soft">{url}</span> },
          {
            head: "Events",
            look: "whole",
            cell: ({ events: [first, ...rest] }) => (
              <span className="soft">
                <code>{first}</code> {rest.length === 0 ? null : `and ${rest.length} more`}
              </span>
            ),
          },
          {
            head: "24 hours",
            cell: ({ id }) => <LastDayLine webhook={id} statistics={statistics.data?.data} />,
          },
          { head: "Created", look: "when", cell: ({ created_at }) => <Clock at={created_at} /> },
        ]}
      />
    </>
  );
}
