import { useRef, useState } from "react";
import { ApiError } from "#ui/api/client.ts";
import { complete } from "#ui/api/completions.ts";
import { useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Field } from "#ui/parts/form/field.tsx";
import { Problem } from "#ui/parts/page.tsx";
import { duration, number } from "#ui/words/numbers.ts";
import { CallStory } from "./call-story.tsx";
import { PoolFrame } from "./pool-head.tsx";

/** Who was asked, once the pool has written it down. */
function Chain({ pool, request }: { pool: Pool; request: string }) {
  const { id: account } = useAccount();
  const calls = useRead(
    "listPoolCalls",
    { params: { account, pool: pool.id }, query: { limit: 20 } },
    { every: 1_000 },
  );
  const call = calls.data?.data.find(({ id }) => id === request);
  if (call === undefined)
    return <p className="soft">The call is written down about a second after its end.</p>;
  return (
    <>
      <CallStory call={call} />
      <p className="soft">
        {number(call.prompt_tokens)} + {number(call.completion_tokens)} tokens · {duration(call.ms)}
        {call.failed_over ? " · failed over" : ""}
      </p>
    </>
  );
}

function Playground({ pool }: { pool: Pool }) {
  const [key, setKey] = useState("");
  const [model, setModel] = useState("");
  const [system, setSystem] = useState("");
  const [question, setQuestion] = useState("Hello");
  const [answer, setAnswer] = useState("");
  const [error, setError] = useState<ApiError | null>(null);
  const [request, setRequest] = useState<string | null>(null);
  const asking = useRef<AbortController | null>(null);
  const [busy, setBusy] = useState(false);
  const models = [...new Set(pool.members.flatMap((member) => member.models))];
  const ask = async () => {
    const controller = new AbortController();
    asking.current = controller;
    setBusy(true);
    setAnswer("");
    setError(null);
    setRequest(null);
    try {
      const id = await complete({
        key,
        model,
        messages: [
          ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
          { role: "user" as const, content: question },
        ],
        signal: controller.signal,
        onText: (text) => setAnswer((before) => before + text),
      });
      setRequest(id);
    } catch (caught) {
      if (caught instanceof ApiError) {
        setError(caught);
        setRequest(caught.requestId);
      } else if (!controller.signal.aborted) setError(new ApiError(0, "The service did not answer."));
    }
    setBusy(false);
  };
  const curl = `curl ${location.origin}/api/ai/v1/chat/completions \\
  -H "Authorization: Bearer $TRUNKLINE_POOL_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ ...(model === "" ? {} : { model }), messages: [{ role: "user", content: question }] })}'`;
  return (
    <div className="halves">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <Field
          label="Key of the pool"
          hint="It stays on this page until you leave it. A new one is made under Keys."
        >
          <input
            type="password"
            required
            autoComplete="off"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </Field>
        <Field label="Model" hint="Left out, the pool chooses.">
          <input
            list="models"
            value={model}
            autoComplete="off"
            onChange={(event) => setModel(event.target.value)}
          />
        </Field>
        <datalist id="models">
          {models.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Field label="System">
          <textarea value={system} onChange={(event) => setSystem(event.target.value)} />
        </Field>
        <Field label="You">
          <textarea required value={question} onChange={(event) => setQuestion(event.target.value)} />
        </Field>
        <div className="row">
          <button type="submit" className="button first" disabled={busy}>
            Ask
          </button>
          {busy ? (
            <button type="button" className="button" onClick={() => asking.current?.abort()}>
              Stop
            </button>
          ) : null}
        </div>
      </form>
      <div className="stack">
        <section className="card talk" aria-labelledby="answer">
          <h2 id="answer">Answer</h2>
          <p aria-live="polite" aria-busy={busy} dir="auto">
            {answer === "" ? (
              <span className="soft">{busy ? "Asked…" : "Nothing has been asked yet."}</span>
            ) : (
              answer
            )}
          </p>
          <Problem error={error} />
        </section>
        <section className="card" aria-labelledby="chain">
          <h2 id="chain">Who was asked</h2>
          {request === null ? (
            <p className="soft">Each member that is tried is listed here, with what it answered.</p>
          ) : (
            <Chain key={request} pool={pool} request={request} />
          )}
        </section>
        <section className="card" aria-labelledby="curl">
          <h2 id="curl">As curl</h2>
          <Snippet text={curl} block />
        </section>
      </div>
    </div>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Playground pool={pool} />}</PoolFrame>;
}
