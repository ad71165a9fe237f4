// The management API's schemas for sessions, users, management tokens and the audit log.

import { z } from "zod";
import {
  extended,
  idCursor,
  instant,
  limit,
  page,
  reply,
  revision,
  seenRevision,
} from "#contract/envelope.ts";
import { newTokenScopes, shownTokenScopes } from "#contract/manage/keys/token-scopes.ts";
import { nameText } from "#contract/name.ts";

const role = z
  .enum(["operator", "member"])
  .describe("`operator` manages the whole installation, `member` one account.");
const accountId = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,64}$/, "is not an id")
  .nullable()
  .describe("The id of a member's account; null for operators.");
const email = nameText(3, 254)
  .regex(/^[^\s@]{1,64}@[^\s@]+$/, "must be an email address")
  .describe("The email address to sign in with. Case does not matter.");
const name = nameText(1, 100);
/** The full rule also needs the email address; `identity/password.ts` has it. */
const newPassword = z.string().max(800).describe("12 to 200 characters, and not the email address.");
/** A password as it was typed. The length limit bounds the cost of its hash. */
const typed = z.string().min(1).max(800);

export const signInRequest = z
  .strictObject({
    email: nameText(1, 254).describe("The email address."),
    password: typed.describe("The password."),
  })
  .meta({ id: "SignInRequest" });

export const setUpRequest = z
  .strictObject({
    code: z.string().min(1).max(200).describe("The one-time code of the set-up link."),
    email,
    name: name.describe("The operator's name."),
    password: newPassword,
  })
  .meta({ id: "SetUpRequest" });

const userCode = z.string().min(1).max(200).describe("The one-time code of the user's set-up link.");

export const createSetupCodeRequest = z
  .strictObject({
    email: email
      .optional()
      .describe("The code works only for this email address, even if a user already has it."),
  })
  .meta({ id: "CreateSetupCodeRequest" });

export const setupCodeReply = reply(
  "SetupCodeReply",
  z
    .object({
      code: z.string().describe("`tls_` and 43 characters."),
      expires_at: instant.describe("When the code stops working."),
    })
    .meta({ id: "SetupCode" }),
);

export const checkSetupLinkRequest = z.strictObject({ code: userCode }).meta({ id: "CheckSetupLinkRequest" });

/** The user of a set-up link. */
export const setupLinkReply = reply(
  "SetupLinkReply",
  z
    .object({ email: z.string(), name: z.string() })
    .meta({ id: "SetupLink" })
    .describe("The user who chooses a password with the link."),
);

export const setUpUserRequest = z
  .strictObject({ code: userCode, password: newPassword })
  .meta({ id: "SetUpUserRequest" });

export const changePasswordRequest = z
  .strictObject({
    current_password: typed.describe("The current password."),
    password: newPassword,
  })
  .meta({ id: "ChangePasswordRequest" });

const sessionData = z
  .object({
    kind: z
      .enum(["user", "token", "command_line"])
      .describe(
        "`user`: a person who signed in. `token`: a program with a management token. `command_line`: the command `trunkline` on the same machine.",
      ),
    id: z.string(),
    name: z.string().describe("The person's email address, or the token's name."),
    role,
    account: accountId,
    scopes: shownTokenScopes,
    csrf_token: z
      .string()
      .nullable()
      .describe(
        "The value of the header `X-CSRF-Token`, which every modifying request of the session needs. Null for tokens.",
      ),
    fresh: z
      .boolean()
      .describe("Whether the password was entered in the last ten minutes, which some operations require."),
  })
  .meta({ id: "Session" });

export const sessionReply = reply("SessionReply", sessionData);

const userFields = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  account: accountId,
  active: z.boolean().describe("`false`: the user cannot sign in."),
  set_up: z.boolean().describe("`false`: the user has not chosen a password yet."),
  revision,
  created_at: instant,
  updated_at: instant,
  signed_in_at: instant.nullable().describe("When the user last signed in; null if never."),
});
const user = userFields.meta({ id: "User" });
export type UserReplyData = z.output<typeof user>;

export const userReply = reply("UserReply", user);

const setupLink = z
  .string()
  .describe(
    "The link with which the user chooses a password, once and within 24 hours. No other reply shows it.",
  );

/** A new user, with a set-up link if no password was given. */
export const newUserReply = reply(
  "NewUserReply",
  userFields
    .extend({
      setup_link: setupLink.nullable(),
      setup_link_expires_at: instant.nullable(),
    })
    .meta({ id: "NewUser" }),
);

/** A new set-up link of a user. */
export const newSetupLinkReply = reply(
  "NewSetupLinkReply",
  z.object({ setup_link: setupLink, setup_link_expires_at: instant }).meta({ id: "NewSetupLink" }),
);

export const usersReply = page(
  "UserPage",
  userFields
    .extend({
      account_name: z.string().nullable().describe("The name of a member's account."),
      setup_link_expires_at: instant
        .nullable()
        .describe("Until when the user's set-up link works; null if there is none."),
    })
    .meta({ id: "ListedUser" }),
);

export const createUserRequest = z
  .strictObject({
    email,
    name: name.describe("The user's name."),
    role,
    account: accountId.optional(),
    password: newPassword
      .optional()
      .describe("12 to 200 characters, and not the email address. Without it the reply has a set-up link."),
  })
  .meta({ id: "CreateUserRequest" });

export const updateUserRequest = z
  .strictObject({
    name: name.optional().describe("The user's name."),
    active: z.boolean().optional().describe("`false` ends the user's sessions and prevents signing in."),
    role: role.optional(),
    account: accountId.optional(),
    password: newPassword
      .optional()
      .describe(
        "A new password for a user who lost the old one, 12 to 200 characters. It ends the user's sessions.",
      ),
    revision: seenRevision,
  })
  .meta({ id: "UpdateUserRequest" });

const managementToken = z
  .object({
    id: z.string(),
    name: z.string(),
    hint: z.string().describe("The first and last characters of the token."),
    role,
    account: accountId,
    scopes: shownTokenScopes,
    expires_at: instant.nullable().describe("When the token expires. Null if it does not."),
    last_used_at: instant
      .nullable()
      .describe("When a request last used the token, to the minute. Null if none has."),
    created_at: instant,
    revoked_at: instant.nullable(),
  })
  .meta({ id: "ManagementToken" });
export type ManagementTokenReplyData = z.output<typeof managementToken>;

/** A new token. No other reply shows its text. */
export const newManagementTokenReply = reply(
  "NewManagementTokenReply",
  extended("NewManagementToken", managementToken, {
    token: z.string().describe("The token's text, which no other reply shows."),
  }),
);

export const managementTokensReply = page("ManagementTokenPage", managementToken);

export const createManagementTokenRequest = z
  .strictObject({
    name: name.describe("The token's name, which is unique."),
    role,
    account: accountId.optional(),
    scopes: newTokenScopes,
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe("When it expires (ISO 8601), in the future. Null if it does not."),
  })
  .meta({ id: "CreateManagementTokenRequest" });

const paging = { limit, cursor: idCursor };

export const peoplePage = z.strictObject(paging);

export const usersQuery = z.strictObject({
  ...paging,
  account: accountId.optional().describe("Only members of this account."),
  search: z
    .string()
    .max(100)
    .optional()
    .describe("A part of the name or of the email address, in upper or lower case."),
});

const id = z.string().regex(/^[A-Za-z0-9_]{1,64}$/, "is not an id or a name of an operation");

export const accountAuditQuery = z.strictObject({
  ...paging,
  actor: id.optional().describe("Only entries of the user or token with this id."),
  action: id.optional().describe("Only entries of this operation, such as `updateGateway`."),
});

export const auditQuery = accountAuditQuery.extend({
  account: id.optional().describe("Only entries of the account with this id."),
});

const auditEntry = z
  .object({
    id: z.string(),
    at: instant,
    actor: z.object({
      kind: z.enum(["user", "token", "provisioning", "command_line", "anonymous"]),
      id: z.string().nullable(),
      name: z.string().describe("The user's email address or the token's name at that time."),
    }),
    account: z.string().nullable(),
    action: z
      .string()
      .describe("The operation's `operationId` in this document, or a word for what happened elsewhere."),
    target: z.string().nullable().describe("The ids of the changed objects."),
    fields: z.array(z.string()).describe("The names of the fields in the request, without their values."),
    outcome: z
      .string()
      .describe("The status of the answer, or a word. `started` if the process ended before the answer."),
  })
  .meta({ id: "AuditEntry" });
export type AuditReplyData = z.output<typeof auditEntry>;

/** A page of the audit log, newest first. */
export const auditReply = page("AuditEntryPage", auditEntry);
