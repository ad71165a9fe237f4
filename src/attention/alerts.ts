// Hooks with `attention` report what needs a person. One process of the installation looks every minute. What is reported is accepted as a send is,
// under an idempotency key made of the cause and its beginning, and noted after that: a crash between the two repeats the send, which
// is then the same one.

import { planExpired } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import { hooks } from "#configure/hook.ts";
import { attentionBody } from "#contract/hooks/attention.ts";
import type { HookFields } from "#contract/hooks/hooks.ts";
import type { AttentionData } from "#contract/manage/overview.ts";
import type { Core } from "#core/core.ts";
import type { Acceptance } from "#messaging/accept/acceptance.ts";
import { noteBody, sendHook } from "#messaging/hooks/send.ts";
import { openLoop } from "#queue/loop.ts";
import type { OpenLane } from "#queue/open-lane.ts";
import { type AccountRow, findAccount } from "#store/accounts/accounts.ts";
import { noteAlertFailure, readAlertCauses, readAlertHooks, saveAlertCauses } from "#store/hooks/alerts.ts";
import type { HookRow } from "#store/hooks/hooks.ts";
import { readRestoreHold } from "#store/maintenance/restore-hold.ts";
import { type AttentionDeps, readAttention } from "./attention.ts";
import { type DueAlert, planAlerts } from "./due.ts";

/** The one lane of its kind. */
export const alertsLane = { id: "alerts", kind: "alerts" } as const;

const turnMs = 60_000;

interface AlertsDeps extends AttentionDeps, Pick<Core, "log" | "newId"> {
  acceptance: Pick<Acceptance, "issuesOf" | "send">;
}

type Attention = Awaited<ReturnType<typeof readAttention>>;

/** What keeps a gateway from sending. One with a backlog is slow and sends. */
const silencing: ReadonlySet<AttentionData["kind"]> = new Set([
  "gateway_paused",
  "gateway_stopped",
  "gateway_deferring",
  "link_lost",
  "not_linked",
]);

/**
 * The gateway for a hook's alerts: its own, or while that cannot send, another one of the channel, since what broke may be what the alert is
 * about. Undefined if there is none.
 */
function carrierOf(
  { channel, gateway_identifier }: Pick<HookFields, "channel" | "gateway_identifier">,
  { attention, gateways }: Attention,
): string | undefined {
  const silent = new Set(attention.map(({ kind, subject }) => (silencing.has(kind) ? subject?.id : null)));
  const usable = gateways
    .map(({ gateway }) => gateway)
    .filter(
      (gateway) =>
        gateway.channel === channel &&
        gateway.active === 1 &&
        gateway.draining_at === null &&
        !silent.has(gateway.id),
    );
  const own = usable.find(({ identifier, is_default }) =>
    gateway_identifier === null ? is_default === 1 : identifier === gateway_identifier,
  );
  return (own ?? usable.find(({ test }) => test === 0))?.identifier;
}

interface Reported {
  /** `later`: storage did not answer; the next turn tries again. */
  kind: "reported" | "refused" | "later";
  /** What the hook shows. */
  outcome: string;
}

async function reportOne(
  deps: AlertsDeps,
  hook: HookRow,
  account: AccountRow,
  found: Attention,
  { row, state }: DueAlert,
): Promise<Reported> {
  const now = deps.clock.now();
  const sender = accountFromRow(account);
  const body = attentionBody(account.name, JSON.parse(row.item) as AttentionData, state);
  const rules = hooks.rulesOf(hook);
  const refuse = async (outcome: string): Promise<Reported> => {
    if (outcome !== hook.last_outcome) await noteBody(deps, hook, body, outcome);
    return { kind: "refused", outcome };
  };
  if (planExpired(sender, now)) return await refuse("The account's plan has ended.");
  const gateway_identifier = carrierOf(rules, found);
  if (gateway_identifier === undefined)
    return await refuse(`No gateway of the channel ${rules.channel} can send now.`);
  const { result, outcome } = await sendHook(
    deps.acceptance,
    {
      name: hook.name,
      fields: { ...rules, gateway_identifier },
      account: sender,
      requestId: deps.newId("req"),
      idempotency: { path: `/hooks/${hook.id}/attention`, key: `${row.cause} ${row.since} ${state}` },
    },
    body,
  );
  // Reported before, in other words: the hook or its gateway has changed between the send and its note.
  const isReported = outcome === "accepted" || result.kind === "mismatch";
  if (!isReported) return outcome === null ? { kind: "later", outcome: "" } : await refuse(outcome);
  const change = state === "begun" ? { begun_at: now } : { ended_at: now, ended_sent: 1 as const };
  await deps.database.run(saveAlertCauses, { hookId: hook.id, put: [{ ...row, ...change }], remove: [] });
  await noteBody(deps, hook, body, "accepted");
  return { kind: "reported", outcome: "accepted" };
}

async function reportAll(
  deps: AlertsDeps,
  hook: HookRow,
  account: AccountRow,
  found: Attention,
): Promise<void> {
  const { clock, database, log } = deps;
  const settings = hooks.rulesOf(hook).attention;
  if (settings === null) return;
  // That it cannot report is for others to report.
  const items = found.attention.filter(
    ({ kind, subject }) => kind !== "alerts_blocked" || subject?.id !== hook.id,
  );
  const rows = await database.run(readAlertCauses, hook.id);
  const { put, remove, due } = planAlerts(hook.id, rows, items, settings, clock.now());
  if (put.length + remove.length > 0) await database.run(saveAlertCauses, { hookId: hook.id, put, remove });
  let failure: string | null = null;
  for (const alert of due) {
    const { kind, outcome } = await reportOne(deps, hook, account, found, alert);
    if (kind === "later") return;
    if (kind === "refused") failure = outcome;
  }
  const failedAt = found.alerts.find(({ id }) => id === hook.id)?.alerts_failed_at ?? null;
  if ((failure === null) === (failedAt === null)) return;
  const at = failure === null ? null : clock.now();
  await database.run(noteAlertFailure, { accountId: account.id, id: hook.id, at });
  if (failure !== null)
    log.warn(
      { event: "alerts.blocked", account: account.id, hook: hook.id, reason: failure },
      "A hook cannot report what needs attention.",
    );
}

/** One look at all accounts with such hooks. While a restored backup is held nothing is reported: the original may still run. */
export async function runAlerts(deps: AlertsDeps, signal: AbortSignal): Promise<void> {
  const { database } = deps;
  const all = await database.run(readAlertHooks, null);
  if (all.length === 0 || (await database.run(readRestoreHold, null)) !== null) return;
  for (const [accountId, own] of Map.groupBy(all, ({ account_id }) => account_id)) {
    if (signal.aborted) return;
    const account = await database.run(findAccount, accountId);
    if (account === null) continue;
    const found = await readAttention(deps, account);
    for (const hook of own) await reportAll(deps, hook, account, found);
  }
}

/** Looks every minute in the process that owns the lane. */
export function openAlerts(deps: AlertsDeps, lane: { id: string; fence: number }): OpenLane {
  const { clock, log } = deps;
  return openLoop(lane, {
    clock,
    log,
    turn: async (signal) => {
      await runAlerts(deps, signal);
      return turnMs;
    },
    failure: {
      event: "alerts.failed",
      message: "What needs attention could not be reported; it is tried again.",
    },
  });
}
