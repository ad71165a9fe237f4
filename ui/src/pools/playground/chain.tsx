// The outcome of one question: the members that were called, to scale, and the cost of the call.

import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Facts, Figures } from "#ui/parts/page.tsx";
import { Waterfall } from "#ui/parts/story/waterfall.tsx";
import { cost, duration, number } from "#ui/words/numbers.ts";
import { chainOf, isOver, type Turn, wholeOf } from "./turn.ts";

/** How often the page of an ended call is tried: a refused call has none. */
const maxAsked = 10;

/** A call is recorded with the others of its second: its page exists a moment after its end. */
function Recorded({ pool, request }: { pool: Pool; request: string }) {
  const { id: account } = useAccount();
  const [isOver, setIsOver] = useState(false);
  const { isSuccess, errorUpdateCount } = useRead(
    "getPoolCall",
    { params: { account, pool: pool.id, call: request } },
    { every: isOver ? false : 1_000 },
  );
  const isLate = errorUpdateCount >= maxAsked;
  useEffect(() => setIsOver(isSuccess || isLate), [isSuccess, isLate]);
  return (
    <>
      <Snippet text={request} />{" "}
      {isSuccess ? (
        <Link to="/a/$account/pools/$pool/calls/$call" params={{ account, pool: pool.id, call: request }}>
          The call's page
        </Link>
      ) : (
        <span className="small soft">{isLate ? "it was not recorded so far" : "its page follows"}</span>
      )}
    </>
  );
}

export function Chain({ pool, turn, elapsedMs }: { pool: Pool; turn: Turn; elapsedMs: number }) {
  const sums = turn.end ?? turn.error;
  return (
    <>
      {turn.attempts.length > 0 ? (
        <Waterfall spans={chainOf(turn, elapsedMs)} wholeMs={wholeOf(turn, elapsedMs)} />
      ) : (
        <p className="soft">{isOver(turn) ? "No member was asked." : "The pool chooses a member…"}</p>
      )}
      {sums === null ? null : (
        <Figures
          of={[
            { name: "Took", value: duration(sums.ms) },
            {
              name: "Tokens",
              value: `${number(sums.tokens.prompt)} + ${number(sums.tokens.completion)}`,
              note: sums.tokens.estimated ? "in + out, estimated" : "in + out",
            },
            { name: "Cost", value: cost(sums.cost) },
            { name: "Attempts", value: number(sums.attempts) },
          ]}
        />
      )}
      {turn.request === null ? null : (
        <Facts
          of={{
            "Ended by": turn.end?.finish_reason?.replaceAll("_", " ") ?? null,
            Request: isOver(turn) ? (
              <Recorded key={turn.request} pool={pool} request={turn.request} />
            ) : (
              <code>{turn.request}</code>
            ),
          }}
        />
      )}
    </>
  );
}
