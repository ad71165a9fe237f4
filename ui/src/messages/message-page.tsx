import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { MessageAttempt, MessageRecord, MessageTransmission } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { Facts, PageHead, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Digits } from "#ui/parts/recipient.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Time, WithTimes } from "#ui/parts/time.tsx";
import { inGroups, number } from "#ui/words/numbers.ts";
import { Content } from "./content.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WaitingActions } from "./move.tsx";
import { nextOf } from "./sentences/next.ts";
import { gatewayInTheWay } from "./sentences/waiting.ts";
import { Story } from "./story.tsx";
import { WayBack } from "./way-back.tsx";
import { answers, canBeCancelled, hasEnded, recipientOf } from "./words.ts";

function Actions({ record }: { record: MessageRecord }) {
  const { id: account } = useAccount();
  const resolve = useChange("resolveAccountMessage");
  const params = { account, message: record.id };
  return (
    <>
      {canBeCancelled(record) ? <WaitingActions record={record} /> : null}
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

/** A link to the gateway that keeps a message from being sent. */
function InTheWay({ record }: { record: MessageRecord }) {
  const { id: account } = useAccount();
  const gateway = gatewayInTheWay(record);
  if (gateway === null) return null;
  return (
    <>
      {" "}
      <Link to="/a/$account/gateways/$gateway" params={{ account, gateway }}>
        See the gateway
      </Link>
    </>
  );
}

interface Known {
  record: MessageRecord;
  attempt: MessageAttempt;
  attempts: readonly MessageTransmission[];
}

/** The recipients of a mail with what became of it for each; of other messages the one. */
function To({ record }: { record: MessageRecord }) {
  const { id: account } = useAccount();
  const all = record.channel === "email" && record.recipients.length > 1 ? record.recipients : null;
  const person = (recipient: string) => (
    <Link
      to="/a/$account/people/$recipient"
      params={{ account, recipient }}
      className="mono"
      title={`Everything about ${inGroups(recipient)}`}
    >
      <Digits of={recipient} />
    </Link>
  );
  if (all === null) return person(recipientOf(record));
  return (
    <ul className="stack tight">
      {all.map(({ email, field, status, error }) => (
        <li key={`${field} ${email}`}>
          {person(email)}
          <Status of={status} />{" "}
          <span className="soft small">{error === null ? field : `${field} · ${error.message}`}</span>
        </li>
      ))}
    </ul>
  );
}

function Details({ record, attempt, attempts }: Known) {
  const { id: account } = useAccount();
  const at = (value: string | null) => (value === null ? null : <Time at={value} />);
  return (
    <Section title="Details">
      <Facts
        of={{
          To: <To record={record} />,
          Tags: record.channel === "email" && record.tags.length > 0 ? record.tags.join(", ") : null,
          Id: <Snippet text={record.id} />,
          Request: (
            <Link
              to="/a/$account/requests/$request"
              params={{ account, request: record.request_id }}
              className="mono"
            >
              {record.request_id}
            </Link>
          ),
          Gateway:
            record.gateway_identifier === null ? null : (
              <Link
                to="/a/$account/gateways/$gateway"
                params={{ account, gateway: record.gateway_identifier }}
              >
                {record.gateway_identifier}
              </Link>
            ),
          "Your reference": record.reference === null ? null : <Snippet text={record.reference} />,
          ...Object.fromEntries(
            Object.entries(record.metadata ?? {}).map(([name, value]) => [`metadata.${name}`, value]),
          ),
          "Provider's reference":
            record.provider_reference === null ? null : <Snippet text={record.provider_reference} />,
          Accepted: at(record.created_at),
          Scheduled: at(record.scheduled_for),
          Sent: at(record.sent_at),
          Delivered: at(record.delivered_at),
          Read: at(record.read_at),
          "Next attempt": record.waiting_for?.until ? <Due at={record.waiting_for.until} over="now" /> : null,
          Attempts: number(attempts.length),
          Segments: record.channel === "sms" ? `${number(record.segments)} in ${record.encoding}` : null,
          Cost: `${number(attempt.cost)}${attempt.cost_returned ? ", given back" : ""}`,
        }}
      />
    </Section>
  );
}

/** How often a message in progress is read again, ms, besides the server's hints. */
const underWayMs = 2_000;

export function Page() {
  const { id: account } = useAccount();
  const { message = "" } = useParams({ strict: false });
  const [isUnderWay, setUnderWay] = useState(true);
  const read = useRead(
    "getAccountMessage",
    { params: { account, message } },
    isUnderWay ? { every: underWayMs } : {},
  );
  const known = read.data?.data;
  const ended = known !== undefined && hasEnded(known.record.status);
  useEffect(() => setUnderWay(!ended), [ended]);
  return (
    <>
      <PageHead
        title={known === undefined ? "Message" : recipientOf(known.record)}
        back={<WayBack message={message} />}
        under={
          known === undefined ? null : (
            <p role="status">
              <Status of={known.record.status} />{" "}
              {known.record.test ? <span className="tag">test</span> : null}{" "}
              <span className="soft">
                <WithTimes text={nextOf(known)} />
                <InTheWay record={known.record} />
              </span>
            </p>
          )
        }
      >
        {known === undefined ? null : <Actions record={known.record} />}
      </PageHead>
      {known === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          {known.record.error === null ? null : (
            <div className="notice bad">
              <strong>
                <WithTimes text={known.record.error.message} />
              </strong>
              <p>
                <code>{known.record.error.code}</code>
              </p>
            </div>
          )}
          <Problem error={read.error} />
          <div className="sides">
            <div>
              <Content record={known.record} />
              <Story record={known.record} attempts={known.attempts} />
              <Deliveries message={known.record.id} />
            </div>
            <div>
              <Details {...known} />
            </div>
          </div>
        </>
      )}
    </>
  );
}
