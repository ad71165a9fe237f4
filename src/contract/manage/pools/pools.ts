// Pools: their fields, as the API names them. Stored pools, requests, replies and the provisioning file share them.

import { z } from "zod";
import { instant, page, reply, revision, seenRevision } from "#contract/envelope.ts";
import { maxMembers } from "#contract/limits.ts";
import { patchSchema, shown } from "#contract/resource-schema.ts";
import { sharedBudgetRules } from "./budgets.ts";
import { contentLog } from "./content-log.ts";
import { keyFields } from "./keys.ts";
import { memberFields, poolMember } from "./members.ts";
import { poolName } from "./names.ts";

const hourMs = 3_600_000;
const milliseconds = (min: number, max: number) => z.int().min(min).max(max);

const timeouts = z
  .strictObject({
    answer_ms: milliseconds(50, hourMs)
      .nullable()
      .default(null)
      .describe(
        "For a whole (not streamed) answer of one member while another member remains, which is then called. The last one has the rest of the pool's deadline. If null, four times the 99th percentile of the member's last hundred answers, at least a minute and at most half of the rest of the deadline; that half while fewer than twenty are known.",
      ),
  })
  .describe("How long each member may take in this pool, ms.");

/** How a pool serves its requests. */
export const poolRules = z.strictObject({
  strict_models: z
    .boolean()
    .default(false)
    .describe(
      "Whether a model that no member serves is refused, instead of meaning the whole pool, and whether a named model is answered only by the members that serve it.",
    ),
  answer_model: z
    .enum(["pool", "served"])
    .default("pool")
    .meta({ group: "Answers" })
    .describe("The `model` in answers. `pool`: the pool's name. `served`: the model that served."),
  stream_mode: z
    .enum(["live", "complete"])
    .default("live")
    .meta({ group: "Answers" })
    .describe(
      "`live`: streams are handed on as they come. `complete`: collected first, so that one that breaks off is rescued by another member.",
    ),
  headers_after_ms: milliseconds(100, hourMs)
    .default(20_000)
    .meta({ group: "Answers" })
    .describe(
      "When a stream has had no output for this time, its headers are sent, so that no proxy closes the connection, ms.",
    ),
  deadline_ms: milliseconds(1_000, hourMs)
    .default(600_000)
    .meta({ group: "Failover" })
    .describe("The longest time for a request, including all members that are tried, ms."),
  repeat: z
    .int()
    .min(0)
    .max(3)
    .default(1)
    .meta({ group: "Failover", title: "Repeats" })
    .describe(
      "How often a member is retried at once after it failed within a second, before any output, with 500, 502 or 503 without `Retry-After`, or a reset. 0 for never.",
    ),
  wait_ms: z
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .meta({ group: "Failover" })
    .describe(
      "For a `Retry-After` of at most this length, the same member is retried before another is called, ms.",
    ),
  params: z
    .enum(["adapt", "strict"])
    .default("adapt")
    .meta({ group: "Answers", title: "Parameters" })
    .describe(
      "What happens to a sampling or effort parameter (`temperature`, `top_p`, `reasoning_effort` and the like) that a member does not support. `adapt`: the member is called without it, and `X-Service-Pool-Adapted` names it. `strict`: another member is called.",
    ),
  affinity: z
    .enum(["prefix", "none"])
    .default("prefix")
    .meta({ group: "Failover" })
    .describe(
      "Session affinity: which member of a priority is called first. `prefix`: a conversation stays with one healthy member, so that the provider's prompt cache works; over many conversations members share by weight. A conversation is identified by `prompt_cache_key`, by the session that Codex and Claude Code name in a header, or by its tools and its messages up to the first one of the user. `none`: each request by weight and speed.",
    ),
  whole_answers: z
    .enum(["forward", "stream"])
    .default("forward")
    .meta({ group: "Answers" })
    .describe(
      "How members are called for an answer that is not streamed. `forward`: as the client requested. `stream`: as a stream, which is collected into one answer, so that the limits for the first token and for silence apply to it too, and another member takes over if it breaks off.",
    ),
  hedge: z
    .strictObject({
      after: z
        .literal("p95")
        .default("p95")
        .describe("The 95th percentile of the member's time to first output."),
      max_share: z
        .number()
        .min(0.001)
        .max(1)
        .default(0.05)
        .meta({ title: "Largest share" })
        .describe("The maximum share of calls that are sent to two members."),
    })
    .nullable()
    .default(null)
    .describe(
      "Request hedging: calls the next member too when the first is late; the first output wins, and the other request is cancelled. Both providers may bill. null for never.",
    ),
  cache: z
    .strictObject({
      ttl_s: z
        .int()
        .min(1)
        .max(30 * 86_400)
        .meta({ title: "Lifetime" })
        .describe("How long an answer is reused, s."),
    })
    .nullable()
    .default(null)
    .describe(
      "Response cache: answers equal requests of a key with one answer, at any `temperature`. `Cache-Control: no-cache` in a request bypasses it. If null, every request calls a member.",
    ),
  content_log: contentLog,
  timeouts: timeouts.prefault({}),
  budget: sharedBudgetRules.prefault({}),
});
export type PoolRules = z.output<typeof poolRules>;

/** A pool without its members and keys. */
export const poolFields = z.strictObject({
  name: poolName.describe("The pool's name, which callers can use as the model. Unique in the account."),
  ...poolRules.shape,
});

/** The PATCH body of a pool. */
export const poolChanges = patchSchema(poolFields).extend({ revision: seenRevision });

/** A pool of the provisioning file, with its members and keys. */
export const poolInput = poolFields
  .extend({
    members: z
      .array(memberFields)
      .max(maxMembers)
      .default([])
      .describe("Its members, identified by name. Members that are not listed are unchanged."),
    keys: z
      .array(keyFields)
      .max(1_000)
      .default([])
      .describe(
        "Its keys, identified by name. Keys that are not listed are unchanged; a revoked one works again only with another text.",
      ),
  })
  .describe("Members that answer under one name.");
export type PoolInput = z.output<typeof poolInput>;

const pool = z
  .object({
    id: z.string(),
    ...shown(poolFields).shape,
    members: z.array(poolMember).describe("Oldest first."),
    revision: revision.describe(
      "Increased by each change of the pool or of one of its members. A PATCH with an outdated revision is refused.",
    ),
    created_at: instant,
    updated_at: instant.describe("When the pool or one of its members changed."),
  })
  .meta({ id: "Pool" });

export const poolReply = reply("PoolReply", pool);

/** All pools of the account, oldest first. */
export const poolsReply = page("PoolPage", pool);
