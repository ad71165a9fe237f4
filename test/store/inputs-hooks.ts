// Inputs for the operations on hooks, for rows that `grown.ts` has made.

import * as alerts from "#store/hooks/alerts.ts";
import * as hooks from "#store/hooks/hooks.ts";
import { accountOf, id, now } from "./grown.ts";
import { type Case, caseOf } from "./inputs-messages.ts";

const accountId = accountOf(0);
const hook = {
  id: "hook_new",
  account_id: accountId,
  name: "new",
  hash: "new",
  hint: "h",
  rules: "{}",
  last_received_at: null,
  last_outcome: null,
  alerts: 0 as const,
  revision: 0,
  created_at: 1,
  updated_at: 1,
};

const cause = {
  hook_id: id("hook", 0),
  cause: "cause 0",
  since: 1,
  item: "{}",
  absent_at: null,
  begun_at: null,
  ended_at: null,
  ended_sent: 0 as const,
};

export const hookCases: readonly Case[] = [
  caseOf(hooks.findHookByKey, "hook hash 0"),
  caseOf(hooks.findHook, id("hook", 0)),
  caseOf(hooks.findHookHolder, "hook hash 0"),
  caseOf(hooks.readHooks, { accountId, id: null }, { accountId, id: id("hook", 0) }),
  caseOf(hooks.findHookByName, { accountId, name: "hook 0" }),
  caseOf(hooks.readLastBody, { accountId, id: id("hook", 0) }),
  caseOf(hooks.saveHook, hook, { ...hook, id: id("hook", 0), name: "other", revision: 1 }),
  caseOf(hooks.rotateHookKey, { accountId, id: id("hook", 0), hash: "rotated", hint: "h", at: now }),
  caseOf(hooks.noteHookBody, { accountId, id: id("hook", 0), body: "b", outcome: "accepted", at: now }),
  caseOf(alerts.readAlertHooks, null),
  caseOf(alerts.readFailedAlerts, accountId),
  caseOf(alerts.readAlertCauses, id("hook", 0)),
  caseOf(alerts.saveAlertCauses, {
    hookId: id("hook", 0),
    put: [{ ...cause, begun_at: 2 }],
    remove: [{ ...cause, cause: "cause 1" }],
  }),
  caseOf(alerts.noteAlertFailure, { accountId, id: id("hook", 0), at: now }),
  caseOf(hooks.removeHook, { accountId, id: id("hook", 0) }),
];
