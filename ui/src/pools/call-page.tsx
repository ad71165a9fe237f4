import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { PoolCall } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Copy } from "#ui/parts/copy.tsx";
import { Back } from "#ui/parts/link.tsx";
import { rememberOpened } from "#ui/parts/list/came-from.ts";
import { Facts, Figures, PageHead, Section, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Waterfall } from "#ui/parts/story/waterfall.tsx";
import { Exact } from "#ui/parts/time.tsx";
import { cost, duration, number } from "#ui/words/numbers.ts";
import { CallContent } from "./call-content.tsx";
import { spansOf } from "./call-spans.ts";
import { isBlameless, reusedWords } from "./outcomes.ts";

/** What a caller received, in one sentence. */
function sentenceOf({ status, failed_over, member, attempts, reused }: PoolCall): string {
  if (status === 499) return "The caller closed the connection before the answer was complete.";
  if (reused !== null) return reusedWords[reused].sentence;
  if (status < 400) {
    const failed = attempts.filter(({ outcome }) => outcome !== "ok" && !isBlameless(outcome)).length;
    const pretended = attempts.filter(({ outcome }) => outcome === "pretended_down");
    if (failed === 0 && pretended.length > 0)
      return `${member} answered. Pretended down: ${[...new Set(pretended.map((each) => each.member))].join(", ")}.`;
    if (failed_over)
      return `${member} answered, after ${number(failed)} failed ${failed === 1 ? "attempt" : "attempts"}.`;
    return `${member} answered.`;
  }
  if (attempts.length === 0)
    return "No member was called because of a limit, a budget or the request itself.";
  return "No member answered.";
}

/** A picture to scale: the members that were called, the waits between them, and how long the answer streamed. */
function CallStory({ call }: { call: PoolCall }) {
  if (call.attempts.length === 0) return <p className="soft">No member was asked.</p>;
  return (
    <>
      <Waterfall spans={spansOf(call)} wholeMs={call.ms} />
      {call.first_byte_ms === null ? null : (
        <p className="small soft">
          First output after {duration(call.first_byte_ms)}, the end after {duration(call.ms)}.
        </p>
      )}
    </>
  );
}

function Call({ call }: { call: PoolCall }) {
  const { id: account } = useAccount();
  const { pool = "" } = useParams({ strict: false });
  return (
    <>
      <p role="status">
        <Status of={call.status < 400 ? "ok" : "failed"}>{call.status}</Status>{" "}
        {call.reused === null ? null : <span className="tag">{reusedWords[call.reused].tag}</span>}{" "}
        {sentenceOf(call)}
      </p>
      <Figures
        of={[
          { name: "Took", value: duration(call.ms) },
          { name: "First output", value: call.first_byte_ms === null ? null : duration(call.first_byte_ms) },
          {
            name: "Tokens",
            value: `${number(call.prompt_tokens)} + ${number(call.completion_tokens)}`,
            note: call.estimated ? "in + out, estimated" : "in + out",
          },
          {
            name: "Cost",
            value: cost(call.cost),
            note: call.cost === null ? "no price is known" : "in units of your prices",
          },
        ]}
      />
      <div className="sides">
        <div>
          <Section title="What happened">
            <CallStory call={call} />
          </Section>
        </div>
        <Section title="Details">
          <Facts
            of={{
              Request: (
                <span className="copied">
                  <code>{call.id}</code> <Copy text={call.id} brief />
                </span>
              ),
              Began: <Exact at={call.at} />,
              API: call.api?.replaceAll("_", " ") ?? null,
              Kind: call.stream ? `${call.kind}, streamed` : call.kind,
              Model: call.model,
              Key:
                call.key === null ? null : (
                  <Link
                    to="/a/$account/pools/$pool/calls"
                    params={{ account, pool }}
                    search={{ key: call.key }}
                  >
                    {call.key_name ?? call.key}
                  </Link>
                ),
              "Tried by": call.person,
              User: call.user,
              Tags: call.tags.length === 0 ? null : call.tags.join(", "),
              "Client's request": call.client_request_id,
            }}
          />
        </Section>
      </div>
      <CallContent pool={pool} call={call.id} />
    </>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const { pool = "", call: id = "" } = useParams({ strict: false }) as { pool?: string; call?: string };
  const search = useSearch({ strict: false });
  const read = useRead("getPoolCall", { params: { account, pool, call: id } }, { every: false });
  useEffect(() => rememberOpened(id), [id]);
  const call = read.data?.data;
  return (
    <>
      <PageHead
        title={call === undefined ? "Call" : `${call.kind.charAt(0).toUpperCase()}${call.kind.slice(1)} call`}
        back={
          <Back to="/a/$account/pools/$pool/calls" params={{ account, pool }} search={search} of="Calls" />
        }
      />
      {call === undefined ? <Waiting error={read.error} /> : <Call call={call} />}
    </>
  );
}
