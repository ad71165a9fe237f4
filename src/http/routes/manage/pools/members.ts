// The members of a pool: GET and POST …/pools/{pool}/members, and one of them by its id; GET …/pools/{pool}/health

import type { MemberStatus } from "#ai/ai.ts";
import { memberChanges, memberInput } from "#configure/pool-input.ts";
import { createMember, deleteMember, type SaveMemberResult, updateMember } from "#configure/pool-member.ts";
import { idParam } from "#contract/envelope.ts";
import {
  type HealthReplyData,
  poolHealthReply,
  poolMemberReply,
  poolMembersReply,
} from "#contract/manage/pools.ts";
import { isProblem, problem } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { createdAs } from "#http/reply/created.ts";
import { refused } from "#http/reply/refused.ts";
import { validate } from "#http/validate.ts";
import type { PoolMembersTable } from "#store/schema/pools.ts";
import { findPool, memberData, type PoolCall, poolParams, poolPath } from "./pools.ts";

const memberParams = { ...poolParams, member: idParam("The member's id.") };
const about = { tag: "Pools", family: "manage", scope: "account" } as const;

async function findMember(call: PoolCall): Promise<PoolMembersTable | null> {
  const found = await findPool(call);
  return found?.members.find(({ id }) => id === call.params.member) ?? null;
}

/** The member as it is now. */
async function memberAnswer(call: PoolCall, id: string | undefined, message: string) {
  const row = await findMember({ ...call, params: { ...call.params, member: id ?? "" } });
  if (row === null) return problem("not_found");
  return { status: 200 as const, body: { success: true as const, message, data: memberData(call, row) } };
}

async function savedAnswer(call: PoolCall, saved: SaveMemberResult, message: string) {
  if (saved.kind !== "saved") return refused(saved);
  return await memberAnswer(call, saved.id, message);
}

export const listPoolMembersRoute = endpoint({
  ...about,
  method: "GET",
  path: `${poolPath}/members`,
  name: "listPoolMembers",
  summary: "List a pool's members",
  params: poolParams,
  replies: { 200: poolMembersReply },
  problems: ["not_found"],
})(async (call) => {
  const found = await findPool(call);
  if (found === null) return problem("not_found");
  const data = found.members.map((row) => memberData(call, row));
  return { status: 200, body: { success: true, message: "Members found.", data, next_cursor: null } };
});

export const createPoolMemberRoute = endpoint({
  ...about,
  method: "POST",
  path: `${poolPath}/members`,
  name: "createPoolMember",
  summary: "Create a member of a pool",
  params: poolParams,
  body: memberInput.meta({ id: "CreatePoolMemberRequest", description: "A provider in the pool." }),
  replies: { 201: poolMemberReply },
  problems: ["not_found"],
})(async (call) => {
  const given = validate(memberInput, call.body.value);
  if (isProblem(given)) return given;
  const found = await findPool(call);
  if (found === null) return problem("not_found");
  const of = { accountId: call.account.id, poolId: found.pool.id };
  const made = await createMember(call.core, of, given.value);
  const shown = await savedAnswer(call, made, "The member has been created.");
  const path = `/api/manage/v1/accounts/${of.accountId}/pools/${of.poolId}/members`;
  return createdAs(shown, ({ data }) => `${path}/${data.id}`);
});

export const getPoolMemberRoute = endpoint({
  ...about,
  method: "GET",
  path: `${poolPath}/members/{member}`,
  name: "getPoolMember",
  summary: "Get a member of a pool",
  params: memberParams,
  replies: { 200: poolMemberReply },
  problems: ["not_found"],
})(async (call) => await memberAnswer(call, call.params.member, "Member found."));

export const updatePoolMemberRoute = endpoint({
  ...about,
  method: "PATCH",
  path: `${poolPath}/members/{member}`,
  name: "updatePoolMember",
  summary: "Update a member of a pool",
  description:
    "Only the fields of the request change, also inside `settings` and `timeouts`. A secret that is sent back as its mask stays unchanged. A new address of the provider requires every secret again. The name cannot change, because usage is recorded under it.",
  params: memberParams,
  body: memberChanges.meta({ id: "UpdatePoolMemberRequest" }),
  replies: { 200: poolMemberReply },
  problems: ["not_found", "conflict"],
})(async (call) => {
  const given = validate(memberChanges, call.body.value);
  if (isProblem(given)) return given;
  const { pool, member } = call.params;
  if (!isId(pool) || !isId(member)) return problem("not_found");
  const poolRef = { accountId: call.account.id, poolId: pool };
  const changed = await updateMember(call.core, poolRef, member, given.value);
  return await savedAnswer(call, changed, "The member has been updated.");
});

export const deletePoolMemberRoute = endpoint({
  ...about,
  method: "DELETE",
  path: `${poolPath}/members/{member}`,
  name: "deletePoolMember",
  summary: "Delete a member of a pool",
  description: "Requests that the member is serving are finished.",
  params: memberParams,
  replies: { 204: noContent },
  problems: ["not_found"],
})(async ({ core, account, params: { pool, member } }) => {
  if (!isId(pool) || !isId(member)) return problem("not_found");
  const of = { accountId: account.id, poolId: pool };
  if (!(await deleteMember(core, of, member))) return problem("not_found");
  return deleted;
});

/** A member's health on the wire. A member that this process has not asked yet counts as up. */
export function healthOf(
  row: Pick<PoolMembersTable, "id" | "name" | "active">,
  standing: MemberStatus | undefined,
): HealthReplyData {
  const { state = "up", until = null, inFlight = 0, firstOutputMs = null } = standing ?? {};
  return {
    member: row.id,
    name: row.name,
    state: row.active === 1 ? state : "off",
    until: until === null || row.active === 0 ? null : isoTime(until),
    in_flight: inFlight,
    first_output_ms: firstOutputMs,
  };
}

export const getPoolHealthRoute = endpoint({
  ...about,
  method: "GET",
  path: `${poolPath}/health`,
  name: "getPoolHealth",
  summary: "Get the health of a pool's members",
  description: "The health is what the answering process knows. Each process observes the members by itself.",
  params: poolParams,
  replies: { 200: poolHealthReply },
  problems: ["not_found"],
})(async (call) => {
  const found = await findPool(call);
  if (found === null) return problem("not_found");
  const standings = call.core.ai.health(found.pool.id);
  const data = found.members.map((row) =>
    healthOf(
      row,
      standings.find(({ member }) => member === row.id),
    ),
  );
  return { status: 200, body: { success: true, message: "Health found.", data, next_cursor: null } };
});
