// The attempts of a message: how long each call of the provider took, to scale, with the waits between them collapsed.

import { Fragment } from "react";
import type { MessageRecord, MessageTransmission } from "#ui/api/schema.ts";
import { Copy } from "#ui/parts/copy.tsx";
import { Section } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Exact, useNow, WithTimes } from "#ui/parts/time.tsx";
import { bytes, duration } from "#ui/words/numbers.ts";

type Outcome = NonNullable<MessageTransmission["outcome"]>;

/** The shape, the word and the bar's tone of an outcome. */
const looks: Readonly<Record<Outcome | "under_way", readonly [string, string, string]>> = {
  accepted: ["ok", "accepted", "good"],
  rejected: ["failed", "refused", "bad"],
  deferred: ["waiting", "put off", "warn"],
  unknown: ["unknown", "unknown", "doubt"],
  not_sent: ["off", "not asked", "soft"],
  under_way: ["sending", "under way", "info"],
};

const scale = 1_000;
/** An instantaneous attempt is still visible. */
const minWidth = 6;

function Bar({ ms, longest, tone }: { ms: number; longest: number; tone: string }) {
  return (
    <svg className={`span ${tone}`} viewBox={`0 0 ${scale} 12`} preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.max(minWidth, (ms / longest) * scale)} height="12" />
    </svg>
  );
}

function Answer({ answer }: { answer: NonNullable<MessageTransmission["answer"]> }) {
  const size = new TextEncoder().encode(answer.body).length;
  return (
    <details className="why">
      <summary>
        The provider's answer: status {answer.status}, {bytes(size)}
      </summary>
      {answer.body === "" ? null : (
        <div className="snippet">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
          <pre tabIndex={0} dir="auto">
            {answer.body}
          </pre>
          <Copy text={answer.body} />
        </div>
      )}
    </details>
  );
}

function Row({ of, longest, now }: { of: MessageTransmission; longest: number; now: number }) {
  const [shape, word, tone] = looks[of.outcome ?? "under_way"];
  const ms = msOf(of, now);
  return (
    <li>
      <span>
        <Status of={shape}>
          {of.number}. {word}
        </Status>
        <div className="small soft">{of.gateway}</div>
      </span>
      <Bar ms={ms} longest={longest} tone={tone} />
      <span className="number">{duration(ms)}</span>
      <div className="why small soft">
        <Exact at={of.started_at} />
        {of.code === null ? null : (
          <>
            {" · "}
            <code>{of.code}</code>
          </>
        )}
        {of.reason === null ? null : (
          <>
            {" · "}
            <WithTimes text={of.reason} />
          </>
        )}
      </div>
      {of.answer === null ? null : <Answer answer={of.answer} />}
    </li>
  );
}

/** How long the call of the provider took, ms; so far, if it is under way. */
const msOf = ({ started_at, ended_at }: MessageTransmission, now: number): number =>
  Math.max(0, (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(started_at));

const waitedMs = (before: MessageTransmission, { started_at }: MessageTransmission): number =>
  before.ended_at === null ? 0 : Date.parse(started_at) - Date.parse(before.ended_at);

/** A person's clock may differ from the service's; a shorter wait is not shown. */
const shortMs = 1;

interface AttemptsProps {
  of: readonly MessageTransmission[];
  record: MessageRecord;
}

/** The bar of an attempt under way grows each second; otherwise nothing is rendered again. */
export function Attempts(props: AttemptsProps) {
  if (props.of.length === 0) return null;
  const isUnderWay = props.of.some(({ ended_at }) => ended_at === null);
  return isUnderWay ? <Growing {...props} /> : <Drawn {...props} now={0} />;
}

function Growing(props: AttemptsProps) {
  return <Drawn {...props} now={useNow()} />;
}

/** `now`: epoch ms; without meaning if every attempt has ended. */
function Drawn({ of, record, now }: AttemptsProps & { now: number }) {
  const longest = Math.max(1, ...of.map((each) => msOf(each, now)));
  const last = of.at(-1);
  return (
    <Section title="Attempts">
      <ol className="waterfall attempts">
        {of.map((each, at) => {
          const before = of[at - 1];
          const waited = before === undefined ? 0 : waitedMs(before, each);
          return (
            <Fragment key={each.number}>
              {waited < shortMs ? null : <li className="wait">waited {duration(waited)}</li>}
              <Row of={each} longest={longest} now={now} />
            </Fragment>
          );
        })}
        {!record.waiting_for?.until || last?.ended_at === null ? null : (
          <li className="wait">
            <span>
              the next attempt: <Due at={record.waiting_for.until} over="now" />
            </span>
          </li>
        )}
      </ol>
    </Section>
  );
}
