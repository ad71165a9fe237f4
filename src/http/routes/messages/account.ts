// The account that an API key belongs to, with its plan and its credit.

import { creditOf } from "#accounts/credit.ts";
import { currentAccountReply } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";

export const getCurrentAccountRoute = endpoint({
  method: "GET",
  path: "/api/account",
  name: "getCurrentAccount",
  tag: "Account",
  summary: "Get the account of the API key, its plan and its credit",
  family: "api_key",
  right: "account",
  replies: { 200: currentAccountReply },
})(async ({ core, account: caller }) => {
  const { expiresAt } = caller.plan;
  const data = {
    name: caller.name,
    time_zone: caller.timeZone,
    country: caller.country,
    plan: {
      name: caller.plan.name,
      expires_at: isoTime(expiresAt),
    },
    credit: await creditOf(core, caller),
  };
  return { message: "Account found.", data };
});
