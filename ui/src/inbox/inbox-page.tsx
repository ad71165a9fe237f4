import { Link } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { usePages } from "#ui/api/queries.ts";
import { type Channel, words } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choice } from "#ui/parts/form/field.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";

export function Page() {
  const { id: account } = useAccount();
  const [filter, setFilter] = useFilter();
  const query = filter.channel === undefined ? {} : { channel: filter.channel as Channel };
  const pages = usePages("listAccountReceivedMessages", { params: { account }, query });
  return (
    <>
      <PageHead title="Inbox" />
      <div className="filters">
        <Choice
          label="Channel"
          any="any"
          of={words.Channel}
          value={filter.channel ?? ""}
          onChange={(word) => setFilter("channel", word)}
        />
      </div>
      <List
        label="Received messages"
        icon={Inbox}
        pages={pages}
        id={({ id }) => id}
        empty={
          <p>
            Nothing has been received. A{" "}
            <Link to="/a/$account/gateways" params={{ account }}>
              gateway
            </Link>{" "}
            that can receive shows its callback URL, which the provider has to know.
          </p>
        }
        columns={[
          { head: "From", cell: ({ from }) => <span className="mono">{from}</span> },
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
          { head: "To", cell: ({ to, gateway_identifier }) => `${to} · ${gateway_identifier}` },
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
          { head: "Received", look: "when", cell: ({ received_at }) => <Time at={received_at} brief /> },
        ]}
      />
    </>
  );
}
