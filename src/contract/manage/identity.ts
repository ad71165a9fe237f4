// The management API's words for who may manage: sessions, users, tokens, and the log of what they did.

import { z } from "zod";
import { nameText } from "#contract/name.ts";

const instant = z.iso.datetime({ precision: 3 });
const role = z
  .enum(["operator", "member"])
  .describe("`operator` manages the whole installation, `member` one account.");
const accountId = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,64}$/, "is not an id")
  .nullable()
  .describe("A member's account, by its id; null for operators.");
const email = nameText(3, 254)
  .regex(/^[^\s@]{1,64}@[^\s@]+$/, "must be an e-mail address")
  .describe("What they sign in with. Upper and lower case are the same.");
const name = nameText(1, 100).regex(/\S/, "must not be empty");
/** Its real rule needs the e-mail address, and stands where both are known. */
const newPassword = z.string().max(800).describe("12 to 200 characters, and not the e-mail address.");
/** Whatever was typed; a bound only, so that nobody has megabytes hashed. */
const typed = z.string().min(1).max(800);

export const signInRequest = z.strictObject({
  email: nameText(1, 254).describe("The e-mail address."),
  password: typed.describe("The password."),
});

export const setUpRequest = z.strictObject({
  code: z.string().min(1).max(200).describe("The one-time code of the set-up link."),
  email,
  name: name.describe("What the operator is called."),
  password: newPassword,
});

export const changePasswordRequest = z.strictObject({
  current_password: typed.describe("The password up to now."),
  password: newPassword,
});

const sessionData = z.object({
  kind: z.enum(["user", "token"]).describe("A person who signed in, or a program with a token."),
  id: z.string(),
  name: z.string().describe("The person's e-mail address, or the token's name."),
  role,
  account: accountId,
  csrf_token: z
    .string()
    .nullable()
    .describe("To be sent as `X-CSRF-Token` with every request of the session that changes something."),
  fresh: z
    .boolean()
    .describe("Whether the password was given in the last ten minutes, which some things take."),
});

/** Who is signed in. */
export const sessionReply = z.object({ success: z.literal(true), message: z.string(), data: sessionData });

/** Something is done, and there is nothing to show. */
export const doneReply = z.object({ success: z.literal(true), message: z.string(), data: z.null() });

const user = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  account: accountId,
  active: z.boolean().describe("Who is switched off cannot sign in."),
  created_at: instant,
  updated_at: instant,
  signed_in_at: instant.nullable().describe("The last time; null: never."),
});
export type UserReplyData = z.output<typeof user>;

export const userReply = z.object({ success: z.literal(true), message: z.string(), data: user });

const nextCursor = z.string().nullable().describe("For the next page; null on the last one.");

export const usersReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(user),
  next_cursor: nextCursor,
});

export const createUserRequest = z.strictObject({
  email,
  name: name.describe("What they are called."),
  role,
  account: accountId.optional(),
  password: newPassword,
});

export const updateUserRequest = z.strictObject({
  name: name.optional().describe("What they are called."),
  active: z.boolean().optional().describe("`false` switches them off and ends their sessions."),
  role: role.optional(),
  account: accountId.optional(),
  password: newPassword
    .optional()
    .describe("A new password, for somebody who lost theirs; ends their sessions. 12 to 200 characters."),
});

const managementToken = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().describe("The ends of the token, to know it by."),
  role,
  account: accountId,
  created_at: instant,
  revoked_at: instant.nullable(),
});
export type ManagementTokenReplyData = z.output<typeof managementToken>;

export const managementTokenReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: managementToken,
});

/** A new token: its text is shown this once. */
export const newManagementTokenReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: managementToken.extend({ token: z.string().describe("The token itself, shown this once.") }),
});

export const managementTokensReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(managementToken),
  next_cursor: nextCursor,
});

export const createManagementTokenRequest = z.strictObject({
  name: name.describe("What the token is called; unique."),
  role,
  account: accountId.optional(),
});

const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("How many; 50 by default."),
  cursor: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, "is not a cursor")
    .optional()
    .describe("A `next_cursor` given earlier."),
};

export const peoplePage = z.strictObject(paging);

const id = z.string().regex(/^[A-Za-z0-9_]{1,64}$/, "is not an id or a name of an operation");

export const accountAuditQuery = z.strictObject({
  ...paging,
  actor: id.optional().describe("Only what this user or token did, by its id."),
  action: id.optional().describe("Only this operation, such as `updateGateway`."),
});

export const auditQuery = accountAuditQuery.extend({
  account: id.optional().describe("Only what was done to this account, by its id."),
});

const auditEntry = z.object({
  id: z.string(),
  at: instant,
  actor: z.object({
    kind: z.enum(["user", "token", "provisioning", "command_line", "nobody"]),
    id: z.string().nullable(),
    name: z.string().describe("The e-mail address or the token's name, as it was then."),
  }),
  account: z.string().nullable(),
  action: z.string().describe("The operation's name in this document."),
  target: z.string().nullable().describe("Ids of what it was done to."),
  fields: z.array(z.string()).describe("Names of the fields that were given; never their values."),
  outcome: z
    .string()
    .describe("Status of the answer, or a word; `started`: the process died before the answer."),
});
export type AuditReplyData = z.output<typeof auditEntry>;

/** A page of the audit log, newest first. */
export const auditReply = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(auditEntry),
  next_cursor: nextCursor,
});
