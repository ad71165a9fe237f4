import { type KeyboardEvent, useRef, useState } from "react";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Snippet } from "#ui/parts/copy.tsx";
import { Choices } from "#ui/parts/form/choices.tsx";
import { Field } from "#ui/parts/form/field.tsx";
import { Section } from "#ui/parts/page.tsx";
import { aiSnippetOf, type OpenaiClient, openaiClients, poolKey } from "./playground/ai-snippets.ts";
import { type Asked, completionOf } from "./playground/asked.ts";
import { Chain } from "./playground/chain.tsx";
import { Conversation } from "./playground/conversation.tsx";
import { MembersDown } from "./playground/members-down.tsx";
import { noSettings, Settings, settingsOf } from "./playground/settings.tsx";
import { messagesOf } from "./playground/turn.ts";
import { useTurns } from "./playground/use-turns.ts";
import { PoolFrame } from "./pool-head.tsx";

function Elsewhere({ pool, asked }: { pool: Pool; asked: Asked }) {
  const [client, setClient] = useState<OpenaiClient>("curl");
  return (
    <Section title="In a program">
      <Choices label="As" of={openaiClients} value={client} onChange={setClient} />
      <Snippet text={aiSnippetOf(client, location.origin, completionOf(pool.name, asked))} block />
      <p className="hint">
        <code>{poolKey}</code> is a key of this pool, made under Keys.
      </p>
    </Section>
  );
}

function Playground({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const { turns, elapsedMs, busy, ask, stop, clear } = useTurns({ account, pool: pool.id });
  const [entered, setEntered] = useState(noSettings);
  const [system, setSystem] = useState("");
  const [question, setQuestion] = useState("Hello");
  const [down, setDown] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState<number | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const shown = chosen ?? turns.length - 1;
  const turn = turns[shown];
  const settings = settingsOf(entered);
  const last = turns.at(-1);
  // With no input, the code sends the last question.
  const messages =
    question === "" && last !== undefined
      ? messagesOf(system, turns.slice(0, -1), last.question)
      : messagesOf(system, turns, question);
  const send = async () => {
    if (busy) return;
    setChosen(null);
    setQuestion("");
    setDown([]);
    const asked = await ask(question, {
      ...settings,
      stop: [...settings.stop],
      messages,
      pretend_down: [...down],
    });
    // A question without an answer can be asked again unchanged.
    if (asked.answer === "") setQuestion((typed) => (typed === "" ? question : typed));
    field.current?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  const restart = () => {
    clear();
    setChosen(null);
    field.current?.focus();
  };
  return (
    <div className="halves">
      <form
        ref={form}
        className="form"
        onKeyDown={keys}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Field label="System">
          <textarea value={system} onChange={(event) => setSystem(event.target.value)} />
        </Field>
        {turns.length === 0 ? null : <Conversation turns={turns} shown={shown} onShow={setChosen} />}
        <Field label="You">
          <textarea
            ref={field}
            required
            value={question}
            onChange={(event) => setQuestion(event.target.value)}
          />
        </Field>
        <div className="row">
          <Button type="submit" look="first" disabled={busy}>
            Ask
          </Button>
          <span className="kbd">Ctrl Enter</span>
          {busy ? <Button onClick={stop}>Stop</Button> : null}
          {busy || turns.length === 0 ? null : (
            <Button look="plain" onClick={restart}>
              Start over
            </Button>
          )}
        </div>
        <Settings pool={pool} value={entered} error={last?.refusal ?? null} onChange={setEntered} />
        <MembersDown pool={pool} down={down} onChange={setDown} />
      </form>
      <div className="stack">
        <Section title="Who was asked">
          {turn === undefined ? (
            <p className="soft">
              Ask something: each member is shown as it is asked, fails or answers. It needs no key, counts
              for the pool's budget, and is listed under Calls with your name.
            </p>
          ) : (
            <Chain pool={pool} turn={turn} elapsedMs={elapsedMs} />
          )}
        </Section>
        <Elsewhere pool={pool} asked={{ ...settings, messages }} />
      </div>
    </div>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Playground key={pool.id} pool={pool} />}</PoolFrame>;
}
