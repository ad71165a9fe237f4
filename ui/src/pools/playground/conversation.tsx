// The conversation so far: questions, answers, and how an incomplete answer ended.

import { Button } from "#ui/parts/button.tsx";
import { Problem } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { duration } from "#ui/words/numbers.ts";
import { answererOf, isOver, type Turn } from "./turn.ts";

function titleOf({ answer, attempts }: Turn): string {
  if (answer !== "") return "The answer was interrupted: this error frame ended its stream.";
  return attempts.length === 0 ? "The pool called no member." : "No member answered.";
}

/** A client receives an error frame, too: after part of the answer, or instead of it. */
function ErrorFrame({ turn }: { turn: Turn }) {
  if (turn.error === null) return null;
  const { status, code, message, retry_after_ms: retryMs } = turn.error;
  return (
    <div className="notice bad" role="alert">
      <strong>{titleOf(turn)}</strong>
      <p>{message}</p>
      <p className="small">
        Status {status}
        {code === null ? null : (
          <>
            , code <code>{code}</code>
          </>
        )}
        {retryMs === null ? null : `, again in ${duration(retryMs)}`}
      </p>
    </div>
  );
}

function Answer({ turn }: { turn: Turn }) {
  const over = isOver(turn);
  return (
    <div className="stack tight">
      <strong className="small soft">{answererOf(turn) ?? "The pool"}</strong>
      {turn.reasoning === "" ? null : (
        <details className="small soft">
          <summary>What it thought</summary>
          <p dir="auto">{turn.reasoning}</p>
        </details>
      )}
      <p dir="auto" aria-live="polite" aria-busy={!over}>
        {turn.answer === "" ? <span className="soft">{over ? "Nothing came." : "Asked…"}</span> : turn.answer}
      </p>
      {turn.stoppedMs === null ? null : (
        <p>
          <Status of="off">stopped by you after {duration(turn.stoppedMs)}</Status>
        </p>
      )}
      <ErrorFrame turn={turn} />
      <Problem error={turn.refusal} />
    </div>
  );
}

/** `shown`: the index of the turn whose chain is shown. */
export function Conversation({
  turns,
  shown,
  onShow,
}: {
  turns: readonly Turn[];
  shown: number;
  onShow: (at: number) => void;
}) {
  return (
    <ol className="stack turns" aria-label="Conversation">
      {turns.map((turn, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end
        <li key={at} className="stack">
          <div className="stack tight">
            <span className="row apart">
              <strong className="small soft">You</strong>
              {turns.length === 1 ? null : (
                <Button look="plain" aria-pressed={at === shown} onClick={() => onShow(at)}>
                  Show its chain
                </Button>
              )}
            </span>
            <p dir="auto">{turn.question}</p>
          </div>
          <Answer turn={turn} />
        </li>
      ))}
    </ol>
  );
}
