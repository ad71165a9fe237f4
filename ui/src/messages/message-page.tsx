import { Link, useParams } from "@tanstack/react-router";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { MessageRecord } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Ask } from "#ui/parts/dialog.tsx";
import { Facts, PageHead, Problem, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Exact, Time, WithTimes } from "#ui/parts/time.tsx";
import { bytes, number } from "#ui/words/numbers.ts";
import { hasEnded, meaningOf, recipientOf } from "./words.ts";

const answers = [
  ["send_again", "Send again", "It is queued once more. If it had been sent, the recipient gets it twice."],
  ["mark_sent", "Mark as sent", "It counts as sent. Nothing goes out."],
  ["mark_failed", "Mark as failed", "It counts as failed. Nothing goes out."],
] as const;

function Actions({ record }: { record: MessageRecord }) {
  const { id: account } = useAccount();
  const touched = ["getAccountMessage", "listAccountMessages"] as const;
  const cancel = useChange("cancelAccountMessage", touched);
  const resolve = useChange("resolveAccountMessage", touched);
  const params = { account, message: record.id };
  return (
    <>
      {record.status === "queued" || record.status === "scheduled" ? (
        <Ask
          verb="Cancel the message"
          label="Cancel…"
          title="Cancel this message"
          effect={`It will not be sent to ${recipientOf(record)}. Its credit is given back.`}
          run={() => cancel.mutateAsync({ params })}
        />
      ) : null}
      {record.status === "unknown"
        ? answers.map(([answer, verb, effect]) => (
            <Ask
              key={answer}
              verb={verb}
              label={`${verb}…`}
              title={verb}
              effect={effect}
              grave={answer === "send_again"}
              run={() => resolve.mutateAsync({ params, body: { answer } })}
            />
          ))
        : null}
    </>
  );
}

function Timeline({ record }: { record: MessageRecord }) {
  return (
    <section className="card" aria-labelledby="happened">
      <h2 id="happened">What happened</h2>
      <ol className="timeline">
        {(record.events ?? []).map((event) => (
          <li key={`${event.at} ${event.type} ${event.detail}`}>
            <Exact at={event.at} />
            <span className="dot info" aria-hidden="true" />
            <div>
              <Status of={event.type} />
              {event.detail === null ? null : (
                <p className="soft">
                  <WithTimes text={event.detail} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
      {hasEnded(record.status) ? null : (
        <p className="soft" role="status">
          <WithTimes text={meaningOf(record)} />
          {record.next_attempt_at === null ? null : (
            <>
              {" "}
              The next attempt is due <Due at={record.next_attempt_at} over="now" />.
            </>
          )}
        </p>
      )}
    </section>
  );
}

function Content({ record }: { record: MessageRecord }) {
  return (
    <section className="card" aria-labelledby="content-of">
      <h2 id="content-of">Message</h2>
      {record.channel === "email" ? <h3 dir="auto">{record.subject}</h3> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
      <pre dir="auto" tabIndex={0}>
        {record.message}
      </pre>
      {record.channel === "email" && record.attachments.length > 0 ? (
        <ul>
          {record.attachments.map((file) => (
            <li key={file.filename}>
              {file.filename} <span className="soft">{`${bytes(file.size)} · ${file.content_type}`}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const { message = "" } = useParams({ strict: false }) as { message?: string };
  const read = useRead("getAccountMessage", { params: { account, message } }, { every: 2_000 });
  if (read.data === undefined)
    return (
      <>
        <PageHead title="Message" />
        <Waiting error={read.error} />
      </>
    );
  const { record, attempt } = read.data.data;
  const at = (value: string | null) => (value === null ? null : <Time at={value} />);
  return (
    <>
      <p>
        <Link to={`/a/${account}/messages`}>‹ Messages</Link>
      </p>
      <PageHead title={recipientOf(record)}>
        <Actions record={record} />
      </PageHead>
      <p role="status">
        <Status of={record.status} /> <WithTimes text={meaningOf(record)} />
      </p>
      {record.error === null ? null : (
        <div className="notice bad">
          <strong>
            <WithTimes text={record.error.message} />
          </strong>
          <p>
            <code>{record.error.code}</code>
          </p>
        </div>
      )}
      <Problem error={read.error} />
      <Timeline record={record} />
      <Content record={record} />
      <section className="card" aria-labelledby="details">
        <h2 id="details">Details</h2>
        <Facts
          of={[
            ["Id", <Snippet key="id" text={record.id} />],
            ["Request", <code key="request">{record.request_id}</code>],
            [
              "Gateway",
              record.gateway_identifier === null ? null : (
                <Link key="gateway" to={`/a/${account}/gateways/${record.gateway_identifier}`}>
                  {record.gateway_identifier}
                </Link>
              ),
            ],
            [
              "Reference",
              record.provider_reference === null ? null : (
                <Snippet key="reference" text={record.provider_reference} />
              ),
            ],
            ["Accepted", at(record.created_at)],
            ["Scheduled", at(record.scheduled_for)],
            ["Sent", at(record.sent_at)],
            ["Delivered", at(record.delivered_at)],
            ["Read", at(record.read_at)],
            [
              "Next attempt",
              record.next_attempt_at === null ? null : (
                <Due key="next" at={record.next_attempt_at} over="due now" />
              ),
            ],
            ["Attempts", number(attempt.count)],
            [
              "Segments",
              record.channel === "sms" ? `${number(record.segments)} in ${record.encoding}` : null,
            ],
            ["Cost", `${number(attempt.cost)}${attempt.cost_returned ? ", given back" : ""}`],
            ["Test", record.test ? "yes: its gateway sends nothing" : null],
          ]}
        />
      </section>
    </>
  );
}
