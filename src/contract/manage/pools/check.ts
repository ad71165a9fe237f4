// The management API's check of a member at its provider: of a stored one, of one with changed settings, or of one that is not stored yet.

import { z } from "zod";
import { reply } from "#contract/envelope.ts";
import { nameText } from "#contract/name.ts";

export const checkMemberRequest = z
  .strictObject({
    member: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an id")
      .nullable()
      .default(null)
      .describe("The id of a stored member. If null, `kind` is required."),
    kind: nameText(1, 100)
      .nullable()
      .default(null)
      .describe("A kind of provider. Null for that of the stored member."),
    settings: z
      .record(z.string(), z.unknown())
      .default({})
      .describe(
        "The settings of its kind. For a stored member, the changes: a mask keeps the stored secret, unless the address changes.",
      ),
  })
  .meta({ id: "CheckPoolMemberRequest" });
export type CheckMemberInput = z.output<typeof checkMemberRequest>;

const memberCheck = z
  .object({
    ok: z.boolean().describe("Whether the provider listed its models for this key, or has nothing to check."),
    ms: z.number().describe("How long it took."),
    models: z
      .array(z.string())
      .nullable()
      .describe("The models that it lists, at most 1,000. Null if it listed none, or has no list."),
    reason: z
      .string()
      .nullable()
      .describe("Why the check failed, in the provider's words. Null if it succeeded."),
  })
  .meta({ id: "PoolMemberCheck" });
export type MemberCheckData = z.output<typeof memberCheck>;

export const checkMemberReply = reply("PoolMemberCheckReply", memberCheck);
