// The members of a pool, and their health.

import type { MemberStatus } from "#ai/pools/member-status.ts";
import { deleteMember, members, type PoolRef } from "#configure/pool-member.ts";
import { idParam } from "#contract/envelope.ts";
import {
  type HealthReplyData,
  type MemberFields,
  memberChanges,
  memberFields,
  poolHealthReply,
  poolMemberReply,
  poolMembersReply,
} from "#contract/manage/pools/members.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { manageRoutes } from "#http/routes/manage/manage-routes.ts";
import { findProvider } from "#providers/registry.ts";
import { type MemberOutcomesRead, readMemberOutcomes } from "#store/pools/member-outcomes.ts";
import type { PoolMembersTable } from "#store/schema/pools.ts";
import { findPool, type PoolCall, poolParams, poolPath } from "./pools.ts";
import { memberData } from "./unpriced.ts";

/** The pool in the path. The statement itself checks whether the account has it. */
export const poolRefOf = ({ account, params: { pool = "" } }: PoolCall): PoolRef => ({
  accountId: account.id,
  poolId: pool,
});

export const poolMemberRoutes = manageRoutes({
  tag: "Pools",
  operations: ["PoolMember", "PoolMembers"],
  nouns: ["member", "members"],
  path: `${poolPath}/members`,
  params: poolParams,
  param: ["member", idParam("The member's id.")],
  replies: { one: poolMemberReply, many: poolMembersReply },
  list: {
    summary: "List a pool's members",
    run: async (call) => {
      const found = await findPool(call);
      return { data: found.members.map((row) => memberData(call, row)), next_cursor: null };
    },
  },
  create: {
    summary: "Create a member of a pool",
    body: memberFields.meta({ id: "CreatePoolMemberRequest", description: "A provider in the pool." }),
    run: (call, fields) => members.create(call.core, poolRefOf(call), fields),
  },
  get: {
    summary: "Get a member of a pool",
    run: async (call, id) => {
      const found = await findPool(call);
      const row = found.members.find((member) => member.id === id);
      return row === undefined ? null : memberData(call, row);
    },
  },
  update: {
    summary: "Update a member of a pool",
    description:
      "Only the fields of the request change, also inside `settings` and `timeouts`. A secret that is sent back as its mask stays unchanged. A new address of the provider requires every secret again. The name cannot change, because usage is recorded under it.",
    body: memberChanges.meta({ id: "UpdatePoolMemberRequest" }),
    run: (call, id, changes) => members.update(call.core, poolRefOf(call), id, changes),
  },
  delete: {
    summary: "Delete a member of a pool",
    description: "Requests that the member is serving are finished.",
    run: (call, id) => deleteMember(call.core, poolRefOf(call), id),
  },
});

const hourMs = 3_600_000;
/** At most this many calls are read to say how members answered recently: about 10 ms. */
const maxCalls = 1_000;

/**
 * A member's health in the API's form. A member that this process has not called yet counts as up. `outcomes`: those of the pool. `hasResponses`: according to its
 * settings, requests to `/responses` are forwarded to it unchanged.
 */
export function healthOf(
  row: Pick<PoolMembersTable, "id" | "name" | "rules">,
  standing: MemberStatus | undefined,
  hasResponses: boolean,
  outcomes: MemberOutcomesRead,
): HealthReplyData {
  const { active } = members.rulesOf(row);
  const { state = "up", until = null, inFlight = 0, firstOutputMs = null } = standing ?? {};
  const { refused = [], keys = [] } = standing ?? {};
  const known = outcomes.members.find(({ member }) => member === row.name);
  const { asked = 0, failed = 0, answeredAt = null, failure = null } = known ?? {};
  return {
    member: row.id,
    name: row.name,
    state: active ? state : "off",
    until: until === null || !active ? null : isoTime(until),
    in_flight: inFlight,
    first_output_ms: firstOutputMs,
    recent: { since: isoTime(outcomes.since), asked, failed },
    last_answered_at: isoTime(answeredAt),
    last_failure: failure === null ? null : { ...failure, at: isoTime(failure.at) },
    responses: hasResponses && !standing?.lacksResponses ? "forwarded" : "translated",
    keys: keys.map((key) => ({ ...key, until: isoTime(key.until) })),
    refused: refused.map((refusal) => ({ ...refusal, until: isoTime(refusal.until) })),
  };
}

/** Of all its models: where an API depends on the model, it is another one. */
const forwardsResponses = ({ kind, settings, models: [model = ""] }: MemberFields) =>
  (findProvider(kind)?.native("responses", settings, model) ?? null) !== null;

export const getPoolHealthRoute = endpoint({
  tag: "Pools",
  scope: "account",
  method: "GET",
  path: `${poolPath}/health`,
  name: "getPoolHealth",
  summary: "Get the health of a pool's members",
  description:
    "The health as known by the answering process: each process observes the members separately. What was asked, answered and failed recently is that of all processes.",
  params: poolParams,
  replies: { 200: poolHealthReply },
})(async (call) => {
  const found = await findPool(call);
  const { sealer, database, clock } = call.core;
  const poolId = found.pool.id;
  const since = clock.now() - hourMs;
  const outcomes = await database.run(readMemberOutcomes, { poolId, since, limit: maxCalls });
  const standings = call.core.ai.health(poolId);
  const data = found.members.map((row) =>
    healthOf(
      row,
      standings.find(({ member }) => member === row.id),
      forwardsResponses(members.fieldsOf(sealer, row)),
      outcomes,
    ),
  );
  return { message: "Health found.", data, next_cursor: null };
});
