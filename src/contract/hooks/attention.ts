// What the overview says needs attention, as the body of a hook: the fields that templates find, and one sentence for each kind.

import type { AttentionData } from "#contract/manage/overview.ts";

const counted = ({ count }: AttentionData): string => {
  const { n, more } = count ?? { n: 0, more: false };
  return `${n}${more ? " or more" : ""} ${n === 1 && !more ? "message" : "messages"}`;
};

/** A sentence without its full stop. `name`: of the subject. */
const sentences: Readonly<Record<AttentionData["kind"], (name: string, item: AttentionData) => string>> = {
  gateway_paused: (name) => `gateway ${name} is paused`,
  gateway_stopped: (name) => `gateway ${name} is stopped`,
  gateway_deferring: (name) => `every attempt of gateway ${name} fails`,
  link_lost: (name) => `gateway ${name} is not linked any more`,
  not_linked: (name) => `gateway ${name} has no linked device`,
  backlog: (name, item) => `${counted(item)} of gateway ${name} should have been sent five minutes ago`,
  unknown_messages: (_, item) => `${counted(item)} may or may not have been sent`,
  failures: (_, item) => `${counted(item)} of the last 24 hours failed`,
  webhook_failing: (name) => `webhook ${name} fails`,
  webhook_disabled: (name) => `webhook ${name} was switched off`,
  credit_low: (name, { count }) => `the ${name} credit is low: ${count?.n ?? 0} left`,
  plan_ending: (_, { until }) => `the plan ends at ${until}`,
  member_down: (name) => `pool member ${name} is down`,
  domain_unverified: (name) => `domain ${name} is not verified`,
  held: (_, item) => `${counted(item)} of a restored backup wait for an operator`,
  no_public_url: () => "the installation has no public address for reports",
  alerts_blocked: (name) => `hook ${name} cannot report what needs attention`,
};

/** The body of an item. `state`: whether it has begun to need attention, or has ended. */
export function attentionBody(account: string, item: AttentionData, state: "begun" | "ended") {
  const { kind, severity, subject, since, until, reason, count } = item;
  const sentence = sentences[kind](subject?.name ?? "", item);
  return {
    account,
    state,
    kind,
    severity,
    subject: subject?.name ?? null,
    summary: state === "begun" ? sentence : `over: ${sentence}`,
    // It is no longer a reason once it is over.
    reason: state === "begun" ? reason : null,
    since,
    until,
    count: count?.n ?? null,
  };
}

/** A body for previews. */
export const attentionExample = attentionBody(
  "acme",
  {
    kind: "gateway_paused",
    severity: "error",
    subject: { id: "gw_1", name: "sms-main" },
    since: "2030-01-31T09:00:00.000Z",
    until: "2030-01-31T09:05:00.000Z",
    reason: "The provider refused the credentials.",
    count: { n: 12, more: false },
    href: "/api/manage/v1/accounts/acc_1/gateways/sms-main",
  },
  "begun",
);
