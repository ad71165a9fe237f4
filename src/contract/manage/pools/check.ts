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
      .describe("The id of a stored member. Null: of none, and `kind` is needed."),
    kind: nameText(1, 100)
      .nullable()
      .default(null)
      .describe("A kind of provider. Null: that of the stored member."),
    settings: z
      .record(z.string(), z.unknown())
      .default({})
      .describe(
        "As its kind says. With a stored member, what changes: a mask keeps the stored secret, unless the address changes.",
      ),
  })
  .meta({ id: "CheckPoolMemberRequest" });
export type CheckMemberInput = z.output<typeof checkMemberRequest>;

const memberCheck = z
  .object({
    ok: z.boolean().describe("The provider listed its models for this key, or has nothing to ask."),
    ms: z.number().describe("How long it took."),
    models: z
      .array(z.string())
      .nullable()
      .describe("The models that it lists, 1,000 at most. Null: it listed none, or has no list."),
    reason: z.string().nullable().describe("Why it is not well, in the provider's words. Null: it is."),
  })
  .meta({ id: "PoolMemberCheck" });
export type MemberCheckData = z.output<typeof memberCheck>;

export const checkMemberReply = reply("PoolMemberCheckReply", memberCheck);
