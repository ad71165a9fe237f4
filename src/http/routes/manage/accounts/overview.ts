// GET /api/manage/v1/accounts/{account}/overview: everything that needs a person's attention, in one call.

import { readAttention } from "#attention/attention.ts";
import { overviewReply } from "#contract/manage/overview.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";

export const getOverviewRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/overview",
  name: "getOverview",
  tag: "Accounts",
  summary: "Get the account's overview",
  description:
    "What needs a person, the worst first, with its reason and what happens by itself; the credit; and the first steps that were taken. Counts stop at 1,000. Members of pools are as the answering process sees them.",
  scope: "account",
  replies: { 200: overviewReply },
})(async (call) => {
  const { core, account, settings } = call;
  const { attention, counts, credit, endpoints } = await readAttention(
    { ...core, publicUrl: settings.publicUrl },
    account,
  );
  const { isReal, exists } = counts;
  const { message, delivered, completion } = exists;
  return {
    message: "Overview found.",
    data: {
      attention,
      credit,
      plan: {
        name: account.plan_name,
        expires_at: isoTime(account.plan_expires_at),
      },
      first_steps: {
        accepted: message,
        delivered,
        real_gateway: isReal,
        webhook: endpoints.some(({ active }) => active === 1),
        completion,
      },
    },
  };
});
