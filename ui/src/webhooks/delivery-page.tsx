import { Link, useParams } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Act } from "#ui/parts/act.tsx";
import { Snippet } from "#ui/parts/copy.tsx";
import { Back } from "#ui/parts/link.tsx";
import { Table } from "#ui/parts/list/table.tsx";
import { PageHead, Section, Waiting } from "#ui/parts/page.tsx";
import { Recipient } from "#ui/parts/recipient.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Time } from "#ui/parts/time.tsx";
import { duration } from "#ui/words/numbers.ts";

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const lines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map((header) => header.join(": "))
    .join("\n");

export function Page() {
  const { id: account } = useAccount();
  const { webhook = "", event = "" } = useParams({ strict: false }) as { webhook?: string; event?: string };
  const params = { account, webhook, event };
  const read = useRead("getDelivery", { params });
  const delivery = read.data?.data;
  return (
    <>
      <PageHead
        title={delivery?.type ?? "Delivery"}
        back={<Back to="/a/$account/webhooks/$webhook" params={{ account, webhook }} of="Deliveries" />}
      >
        <Act of="replayDelivery" input={{ params }}>
          Replay
        </Act>
      </PageHead>
      {delivery === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          <p role="status">
            <Status of={delivery.status} /> <code>{delivery.id}</code> · <Time at={delivery.timestamp} />
            {delivery.message === null ? null : (
              <>
                {" "}
                · the message to{" "}
                <Link to="/a/$account/messages/$message" params={{ account, message: delivery.message.id }}>
                  <Recipient of={delivery.message.recipient} />
                </Link>
              </>
            )}
            {delivery.next_attempt_at === null ? null : (
              <>
                {" "}
                · next try <Due at={delivery.next_attempt_at} over="due now" />
              </>
            )}
          </p>
          <h2>Tries</h2>
          {delivery.log.length === 0 ? (
            <p className="soft">It has not been tried yet.</p>
          ) : (
            <Table
              label="Tries"
              rows={delivery.log}
              id={({ at }) => at}
              columns={[
                { head: "At", cell: ({ at }) => <Time at={at} /> },
                { head: "Status", cell: ({ status, reason }) => status ?? reason },
                { head: "Took", look: "number", cell: ({ ms }) => duration(ms) },
                { head: "Answer", cell: ({ answer }) => <code>{answer}</code> },
              ]}
            />
          )}
          {delivery.headers === null ? null : (
            <Section title="Headers of the latest try">
              <Snippet text={lines(delivery.headers)} block />
            </Section>
          )}
          <Section title="Body">
            <Snippet text={pretty(delivery.body)} block />
          </Section>
        </>
      )}
    </>
  );
}
