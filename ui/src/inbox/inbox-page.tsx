import { Link } from "@tanstack/react-router";
import { Inbox, Search } from "lucide-react";
import { usePages } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channels } from "#ui/parts/channels.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { picked } from "#ui/parts/list/query.ts";
import { FilterChoice, GatewayFilter, SearchFilter } from "#ui/parts/list/search.tsx";
import { PageHead, Problem } from "#ui/parts/page.tsx";
import { Digits, Recipient } from "#ui/parts/recipient.tsx";
import { Clock } from "#ui/parts/time.tsx";

export function Page() {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const query = picked(filter, ["channel", "from", "gateway"]);
  const isFiltered = Object.keys(query).length > 0;
  const pages = usePages("listAccountReceivedMessages", { params: { account }, query });
  return (
    <>
      <PageHead title="Inbox" />
      <SearchFilter name="from" label="From">
        <FilterChoice name="channel" label="Channel" of={channels} />
        <GatewayFilter />
      </SearchFilter>
      <Problem error={pages.error?.status === 422 ? pages.error : null} />
      <List
        label="Received messages"
        pages={pages}
        id={({ id }) => id}
        icon={isFiltered ? Search : Inbox}
        empty={
          isFiltered ? (
            <p>No received messages match these filters.</p>
          ) : (
            <p>
              Nothing has been received. A{" "}
              <Link to="/a/$account/gateways" params={{ account }}>
                gateway
              </Link>{" "}
              that can receive shows the callback URL to enter at the provider.
            </p>
          )
        }
        columns={[
          {
            head: "From",
            cell: ({ from, id }) => (
              <RowLink
                to="/a/$account/people/$recipient"
                params={{ account, recipient: from }}
                search={{ at: id }}
              >
                <Recipient of={from} />
              </RowLink>
            ),
          },
          {
            head: "Message",
            cell: ({ message, opt, media }) => (
              <span dir="auto">
                {message} {opt === null ? null : <span className="tag">opt {opt}</span>}
                {media.map(({ url, content_type }) => (
                  <a key={url} href={url} rel="noreferrer noopener" target="_blank">
                    {content_type ?? "file"} (leaves this server)
                  </a>
                ))}
              </span>
            ),
          },
          { head: "To", cell: ({ to }) => <Digits of={to} /> },
          { head: "Gateway", look: "wide", cell: ({ gateway_identifier }) => gateway_identifier },
          {
            head: "Answers",
            cell: ({ in_reply_to }) =>
              in_reply_to === null ? (
                ""
              ) : (
                <Link to="/a/$account/messages/$message" params={{ account, message: in_reply_to }}>
                  a message
                </Link>
              ),
          },
          { head: "Received", look: "when", cell: ({ received_at }) => <Clock at={received_at} /> },
        ]}
      />
    </>
  );
}
