// How the latest requests to each member of a pool ended, over all processes: what a process remembers ends with it.

import { readOperation } from "#store/database.ts";

/** A failure for which the member is to blame, not the request or its caller. */
export interface MemberFailure {
  /** The call's id. */
  call: string;
  /** Epoch ms. */
  at: number;
  outcome: string;
  status: number | null;
}

export interface MemberOutcomes {
  /** The member's name. */
  member: string;
  /** Requests to it since `MemberOutcomesRead.since`, and how many of them it failed. */
  asked: number;
  failed: number;
  /** When it last answered, epoch ms; null if in none of the calls. */
  answeredAt: number | null;
  /** Null if in none of the calls. */
  failure: MemberFailure | null;
}

export interface MemberOutcomesRead {
  /** From when requests are counted, epoch ms: later than requested if that exceeds `limit` calls. */
  since: number;
  members: MemberOutcomes[];
}

interface Attempt {
  member: string;
  started_ms?: number;
  ms: number;
  outcome: string;
  status: number | null;
}

const unsent: ReadonlySet<string> = new Set(["pretended_down", "unsupported_parameter"]);
const faults: ReadonlySet<string> = new Set([
  "upstream_error",
  "rate_limited",
  "unauthorized",
  "model_not_found",
]);

/** Reads the pool's `limit` latest calls. Members that none of them asked are absent. */
export const readMemberOutcomes = readOperation(
  "readMemberOutcomes",
  async (tx, input: { poolId: string; since: number; limit: number }): Promise<MemberOutcomesRead> => {
    const calls = await tx.db
      .selectFrom(tx.indexed("completions", "completions_recent"))
      .select(["id", "at", "attempts"])
      .where("pool_id", "=", input.poolId)
      .orderBy("id", "desc")
      .limit(input.limit)
      .execute();
    const oldest = calls.length < input.limit ? 0 : (calls.at(-1)?.at ?? 0);
    const since = Math.max(input.since, oldest);
    const members = new Map<string, MemberOutcomes>();
    for (const call of calls) {
      for (const attempt of JSON.parse(call.attempts) as Attempt[]) {
        const { member, started_ms = 0, ms, outcome, status } = attempt;
        if (unsent.has(outcome)) continue;
        const known = members.get(member) ?? {
          member,
          asked: 0,
          failed: 0,
          answeredAt: null,
          failure: null,
        };
        members.set(member, known);
        const isFault = faults.has(outcome);
        const at = Math.round(call.at + started_ms + ms);
        if (call.at >= since) {
          known.asked += 1;
          known.failed += isFault ? 1 : 0;
        }
        if (outcome === "ok") known.answeredAt = Math.max(known.answeredAt ?? 0, at);
        if (isFault && at >= (known.failure?.at ?? 0)) known.failure = { call: call.id, at, outcome, status };
      }
    }
    return { since, members: [...members.values()] };
  },
);
