// Draws what happened to a message: its events and attempts on one line of time.

import type { ReactNode } from "react";
import type { MessageRecord, MessageTransmission } from "#ui/api/schema.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Section } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Timeline } from "#ui/parts/story/timeline.tsx";
import { Due, Exact, Time, useNow, WithTimes } from "#ui/parts/time.tsx";
import { bytes, duration, number } from "#ui/words/numbers.ts";
import { type Entry, storyOf, type Try } from "./story.ts";

type Outcome = Exclude<NonNullable<MessageTransmission["outcome"]>, "accepted">;

/** The shape and the word of an attempt that was not accepted; one that was is shown as the state that it led to. */
const looks: Readonly<Record<Outcome, readonly [string, string]>> = {
  rejected: ["failed", "refused"],
  deferred: ["waiting", "put off"],
  unknown: ["unknown", "unknown"],
  not_sent: ["off", "not asked"],
};

const lookOf = ({ of: { outcome }, state }: Try): readonly [string, string] =>
  outcome === null || outcome === "accepted" ? [state, state] : looks[outcome];

function Answer({ answer }: { answer: NonNullable<MessageTransmission["answer"]> }) {
  const size = new TextEncoder().encode(answer.body).length;
  return (
    <details>
      <summary>
        The provider's answer: status {answer.status}, {bytes(size)}
      </summary>
      {answer.body === "" ? null : <Snippet text={answer.body} block />}
    </details>
  );
}

/** Time since an instant, growing each second. */
function SoFar({ from }: { from: string }) {
  return duration(Math.max(0, useNow() - Date.parse(from)));
}

const Took = ({ of: { started_at, ended_at } }: { of: MessageTransmission }) =>
  ended_at === null ? <SoFar from={started_at} /> : duration(Date.parse(ended_at) - Date.parse(started_at));

/** Why an attempt ended as it did: the code, and the provider's words. */
function Reason({ attempt: { of, detail } }: { attempt: Try }) {
  const text = of.reason ?? detail;
  return (
    <>
      {of.code === null ? null : <code>{of.code}</code>}
      {of.code === null || text === null ? null : " · "}
      {text === null ? null : <WithTimes text={text} />}
    </>
  );
}

const gatewaysOf = (attempts: readonly Try[]) =>
  [...new Set(attempts.map(({ of }) => of.gateway))].join(", ");

function Folded({ attempts, same }: { attempts: readonly Try[]; same: boolean }) {
  const last = attempts.at(-1) as Try;
  return (
    <details>
      <summary>
        by {gatewaysOf(attempts)}, until <Time at={last.of.started_at} />
        {same ? (
          <>
            : <Reason attempt={last} />
          </>
        ) : null}
      </summary>
      <ol>
        {attempts.map((attempt) => (
          <li key={attempt.of.number}>
            {attempt.of.number}. <Exact at={attempt.of.started_at} />, <Took of={attempt.of} />
            {same ? null : (
              <>
                : {lookOf(attempt)[1]} <Reason attempt={attempt} />
              </>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

function drawn(entry: Entry): {
  key: string;
  at: string;
  status: string;
  title?: ReactNode;
  detail: ReactNode;
} {
  if (entry.kind === "event") {
    const { at, type, detail } = entry.event;
    const key = `${at} ${type} ${detail}`;
    return { key, at, status: type, detail: detail === null ? null : <WithTimes text={detail} /> };
  }
  const attempts = entry.kind === "attempt" ? [entry.attempt] : entry.attempts;
  const [first, last] = [attempts[0] as Try, attempts.at(-1) as Try];
  const [status, word] = lookOf(last);
  const { number: of, started_at: at, gateway, answer } = last.of;
  const key = `attempt ${first.of.number}`;
  if (entry.kind === "folded")
    return {
      key,
      at: first.of.started_at,
      status,
      title: (
        <Status of={status}>
          attempts {number(first.of.number)}–{number(of)}:{" "}
          {entry.same ? `${word}, the same answer` : "different answers"}
        </Status>
      ),
      detail: <Folded attempts={attempts} same={entry.same} />,
    };
  return {
    key,
    at,
    status,
    title: (
      <>
        <Status of={status}>{word}</Status>{" "}
        <span className="soft">
          attempt {number(of)} by {gateway}, <Took of={last.of} />
        </span>
      </>
    ),
    detail: (
      <>
        <Reason attempt={last} />
        {answer === null ? null : <Answer answer={answer} />}
      </>
    ),
  };
}

export function Story({
  record,
  attempts,
}: {
  record: MessageRecord;
  attempts: readonly MessageTransmission[];
}) {
  const next = record.waiting_for?.until;
  return (
    <Section title="What happened">
      <Timeline of={storyOf(record.events ?? [], attempts).map(drawn)} />
      {next && attempts.length > 0 ? (
        <p className="soft">
          The next attempt: <Due at={next} over="now" />
        </p>
      ) : null}
    </Section>
  );
}
