// Lists, creates and updates the users of the dashboard and the management API.

import { idParam } from "#contract/envelope.ts";
import {
  createUserRequest,
  newSetupLinkReply,
  newUserReply,
  type UserReplyData,
  updateUserRequest,
  userReply,
  usersQuery,
  usersReply,
} from "#contract/manage/identity.ts";
import { type Problem, problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import type { Call } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { refused } from "#http/reply/refused.ts";
import { createUserSetupCode } from "#identity/user-setup.ts";
import { createUser, type SaveUserResult, type UserRow, updateUser, userPage } from "#identity/users.ts";
import { noPassword } from "#store/identity/users.ts";
import { tooBusy } from "./session.ts";

function dataOf(user: UserRow): UserReplyData {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    account: user.account_id,
    active: user.active === 1,
    set_up: user.password !== noPassword,
    revision: user.revision,
    created_at: isoTime(user.created_at),
    updated_at: isoTime(user.updated_at),
    signed_in_at: isoTime(user.signed_in_at),
  };
}

/** The link and its expiry in the form used in replies. The code after the `#` reaches the page but no server. */
function linkData(call: Call, { code, expiresAt }: { code: string; expiresAt: number }) {
  const { settings, caller } = call;
  return {
    setup_link: `${settings.publicUrl ?? `http://${caller.host}`}/setup#${code}`,
    setup_link_expires_at: isoTime(expiresAt),
  };
}

function refusal(result: Exclude<SaveUserResult, { kind: "saved" }>): Problem {
  switch (result.kind) {
    case "busy":
      return tooBusy();
    case "last_operator":
      return problem("conflict", {
        message:
          "The last operator who can sign in cannot be changed to a member or switched off. Who was invited and has not chosen a password does not count.",
      });
    default:
      return refused(result);
  }
}

/** An expired link stays stored for a while; replies omit it. */
const linkEnd = (expiresAt: number | null, now: number) =>
  expiresAt === null || expiresAt <= now ? null : isoTime(expiresAt);

export const listUsersRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/users",
  name: "listUsers",
  tag: "Users and tokens",
  summary: "List the users",
  description: "The newest user comes first.",
  scope: "installation",
  query: usersQuery,
  replies: { 200: usersReply },
})(async ({ core, query }) => {
  const { limit, cursor = null, account: accountId = null, search = null } = query;
  const filter = { accountId, search, before: cursor, limit: limit + 1 };
  const page = pageOf(await userPage(core.database, filter), limit, (user) => ({
    ...dataOf(user),
    account_name: user.account_name,
    setup_link_expires_at: linkEnd(user.setup_link_expires_at, core.clock.now()),
  }));
  return { message: "Users found.", ...page };
});

export const createUserRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/users",
  name: "createUser",
  tag: "Users and tokens",
  summary: "Create a user",
  description:
    "Without a password the reply has a link, with which the user chooses one within 24 hours. Only its hash is stored.",
  scope: "installation",
  body: createUserRequest,
  replies: { 201: newUserReply },
  problems: ["rate_limited"],
})(async (call) => {
  const { core, input } = call;
  const { account = null, ...rest } = input;
  const result = await createUser(core, { ...rest, accountId: account });
  if (result.kind !== "saved") return refusal(result);
  const link = rest.password === undefined ? await createUserSetupCode(core, result.user.id) : null;
  return {
    message: "The user has been created.",
    data: {
      ...dataOf(result.user),
      ...(link?.kind === "created"
        ? linkData(call, link)
        : { setup_link: null, setup_link_expires_at: null }),
    },
  };
});

export const createSetupLinkRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/users/{user}/setup-link",
  name: "createSetupLink",
  tag: "Users and tokens",
  summary: "Create a set-up link of a user",
  description:
    "With the link the user chooses a password, once and within 24 hours, also when the old one is lost. The user's earlier link stops working; the password and the sessions stay until the link is used.",
  scope: "installation",
  params: { user: idParam("The user's id.") },
  replies: { 201: newSetupLinkReply },
  problems: ["conflict", "not_found"],
})(async (call) => {
  const { core, principal, params } = call;
  const { user = "" } = params;
  // Otherwise an open session would be enough to take over the user.
  if (principal.id === user)
    return problem("forbidden", { message: "Changing the own password requires the current one." });
  const link = await createUserSetupCode(core, user);
  if (link.kind === "not_found") return problem("not_found");
  if (link.kind === "off") return problem("conflict", { message: "The user is switched off." });
  return { message: "The link has been created. No other reply shows it.", data: linkData(call, link) };
});

export const updateUserRoute = endpoint({
  method: "PATCH",
  path: "/api/manage/v1/users/{user}",
  name: "updateUser",
  tag: "Users and tokens",
  summary: "Update a user",
  description:
    "Only the fields of the request change. The last operator who can sign in cannot be switched off or changed to a member. Users change their own password at `/api/manage/v1/session/password`.",
  scope: "installation",
  params: { user: idParam("The user's id.") },
  body: updateUserRequest,
  replies: { 200: userReply },
  problems: ["conflict", "not_found", "rate_limited"],
})(async ({ core, principal, params: { user }, input }) => {
  const { account, ...rest } = input;
  // Otherwise an open session would be enough to take over the user.
  if (rest.password !== undefined && principal.id === user)
    return problem("forbidden", { message: "Changing the own password requires the current one." });
  const result = await updateUser(core, user, { ...rest, accountId: account });
  if (result.kind !== "saved") return refusal(result);
  return { message: "The user has been updated.", data: dataOf(result.user) };
});
