import { Webhook } from "lucide-react";
import { usePages } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { List } from "#ui/parts/list/list.tsx";
import { PageHead } from "#ui/parts/page.tsx";
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
            There is no endpoint yet. An endpoint receives every change of every message as a signed request,
            which is repeated if your application does not accept it.
          </p>
        }
        columns={[
          { head: "State", look: "whole", cell: (webhook) => <WebhookState webhook={webhook} brief /> },
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
            look: "whole",
            cell: ({ id }) => <LastDayLine webhook={id} statistics={statistics.data?.data} />,
          },
        ]}
      />
    </>
  );
}
