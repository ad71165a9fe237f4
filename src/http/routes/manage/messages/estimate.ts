// Estimates when the unsent messages of a request will have been sent: the `estimate` of its reply.

import { accountFromRow } from "#accounts/authenticate.ts";
import { missingLink, stateOf } from "#attention/gateway-state.ts";
import type { RequestLaneData } from "#contract/manage/requests.ts";
import { isoTime } from "#contract/time.ts";
import { findAdapter } from "#gateways/registry.ts";
import { paceOf, rulesIn } from "#gateways/rules.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { paceNow } from "#http/routes/manage/gateways/figures.ts";
import { findOwn } from "#http/routes/manage/gateways/gateways.ts";
import { lastOut, measuredRange, rateOf } from "#messaging/estimate.ts";
import { messagesAround, type RequestSummary } from "#messaging/requests.ts";
import { priorities } from "#queue/priority.ts";
import { readMessageCounts } from "#store/counts/message-counts.ts";
import { type RequestLane, readDueCounts, readRequestLanes } from "#store/messages/requests.ts";

/** Messages that are due earlier are counted up to this number. */
const countTo = 100_000;

type Unknown = NonNullable<RequestLaneData["unknown_because"]>;

/** How many messages the gateway sent in the minutes of a measured rate. */
async function sentOf({ core, account }: ManageAccountCall, gatewayId: string, now: number): Promise<number> {
  const filter = { accountId: account.id, step: "minute", gatewayId, channel: null } as const;
  const rows = await core.database.run(readMessageCounts, { ...filter, ...measuredRange(now) });
  return rows.reduce((sum, { sent, failed, unknown }) => sum + sent + failed + unknown, 0);
}

async function laneOf(call: ManageAccountCall, lane: RequestLane): Promise<RequestLaneData> {
  const { core, account: row } = call;
  const account = accountFromRow(row);
  const now = core.clock.now();
  const identifier = account.gateways.find(({ id }) => id === lane.gatewayId)?.identifier;
  const found = identifier === undefined ? null : await findOwn(call, identifier);
  const none = (unknown_because: Unknown): RequestLaneData => ({
    gateway: identifier ?? lane.gatewayId,
    messages: lane.messages,
    per_second: null,
    rate_of: null,
    done_at: null,
    unknown_because,
  });
  if (found === null) return none("off");
  if (lane.held > 0) return none("held");
  const { state } = stateOf(found);
  if (state !== "active") return none(state);
  const { gateway, queue } = found;
  if ((await missingLink({ ...call.core, publicUrl: call.settings.publicUrl }, gateway)) !== null)
    return none("not_linked");
  const pace = paceOf(rulesIn(gateway).pace, findAdapter(gateway.kind, gateway.channel)?.defaultPace);
  const paced = paceNow(found, now, account.timeZone);
  const wasBusy = queue.oldestDueAt !== null && queue.oldestDueAt <= measuredRange(now).from;
  const sent = await sentOf(call, gateway.id, now);
  const rate = rateOf({ sent, wasBusy, pace, slowedBy: paced.slowed?.factor ?? 1 });
  if (rate === null) return none("no_rate");
  const until = lane.lastDueAt ?? now;
  const waiting = await core.database.run(readDueCounts, {
    gatewayId: gateway.id,
    until,
    priorities,
    countTo,
  });
  const { hours, per_day: perDay } = pace;
  const bounds = { zone: account.timeZone, hours, perDay, sentToday: paced.today?.sent ?? 0 };
  const at = waiting === null ? null : lastOut(waiting, rate.perSecond, now, bounds);
  if (at === null) return none("too_many");
  return {
    ...none("too_many"),
    per_second: rate.perSecond,
    rate_of: rate.of,
    done_at: isoTime(at),
    unknown_because: null,
  };
}

/** Null if all messages of the request were sent. */
export async function estimateOf(call: ManageAccountCall, { request }: RequestSummary) {
  const lanes = await call.core.database.run(readRequestLanes, {
    accountId: call.account.id,
    id: request.id,
    contacts: request.contacts,
    ...messagesAround(request.created_at),
  });
  if (lanes.length === 0) return null;
  const gateways = await Promise.all(lanes.map((lane) => laneOf(call, lane)));
  const ends = gateways.flatMap(({ done_at }) => done_at ?? []);
  return {
    messages: lanes.reduce((sum, { messages }) => sum + messages, 0),
    gateways,
    done_at: ends.length < gateways.length ? null : (ends.sort().at(-1) ?? null),
  };
}
