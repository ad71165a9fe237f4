// A month of the demo's traffic, played through the system itself on a clock that is moved by hand: every message goes the way that a real
// one goes. Calls of AI models are recorded as if they had been served, because a real one takes time of its own.

import type { Account } from "#accounts/account.ts";
import type { AttemptRecord } from "#ai/failover/call.ts";
import { localDay } from "#ai/limits/local-day.ts";
import type { Opened } from "#ai/pools/pools.ts";
import { costOfPicos } from "#contract/cost.ts";
import type { Channel } from "#contract/messages/channel.ts";
import { messageChannels } from "#messaging/channels.ts";
import type { MovableClock } from "#runtime/movable-clock.ts";
import type { Clock } from "#runtime/runtime.ts";
import { recordUsage, type UsedCall } from "#store/pools/usage.ts";
import type { System } from "#system.ts";
import { gateways, members, models, poolKeys } from "./installation.ts";
import { between, campaignText, type Draw, person, pick, written } from "./words.ts";

export interface Stage {
  system: System;
  clock: Clock;
  draw: Draw;
  account: Account;
  /** The pools' keys, in the order of `poolKeys`. */
  keys: readonly Opened[];
}

/** Whose clock is moved by hand. */
export interface PlayedStage extends Stage {
  clock: MovableClock;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const weekMs = 7 * 24 * hourMs;

/** How busy an hour of the day is, from 0 to 10. */
const busyness = [0, 0, 0, 0, 0, 1, 3, 6, 9, 10, 9, 8, 7, 8, 9, 9, 8, 7, 6, 5, 3, 2, 1, 0] as const;

/** Sends and calls from now until the end of the hour, or until `end`. */
async function playHour(stage: PlayedStage, end: number): Promise<void> {
  const { clock, draw } = stage;
  const start = Math.floor(clock.now() / hourMs) * hourMs;
  const busy = busyness[new Date(start).getUTCHours()]!;
  const weekday = new Date(start).getUTCDay();
  const isWeekend = weekday === 0 || weekday === 6;
  const share = (busy / 10) * (isWeekend ? 0.6 : 1);
  const some = (max: number) => Math.round(max * share * (0.7 + 0.6 * draw()));
  const sends: { at: number; send: () => Promise<void> }[] = [];
  const at = () => start + between(draw, 1, 59) * minuteMs;
  const plan = (channel: Channel, count: number) => {
    if (count > 0) sends.push({ at: at(), send: () => send(stage, channel, count) });
  };
  plan("sms", some(7));
  plan("whatsapp", some(3));
  plan("email", some(6));
  const hour = new Date(start).getUTCHours();
  // Tuesdays the newsletter, every second Thursday a campaign.
  if (weekday === 2 && hour === 9) sends.push({ at: at(), send: () => newsletter(stage, 140) });
  if (weekday === 4 && hour === 11 && Math.floor(start / weekMs) % 2 === 0)
    sends.push({ at: at(), send: () => campaign(stage, 60) });
  for (const { at: due, send: begin } of sends.sort((a, b) => a.at - b.at)) {
    if (due < clock.now() || due >= end) continue;
    await clock.advanceTo(due);
    await begin();
  }
  if (start + hourMs <= end) await recordCalls(stage, start, share);
  await clock.advanceTo(Math.min(start + hourMs, end));
}

async function accept({ system, account }: Stage, channel: Channel, contact: object[]): Promise<void> {
  const result = await system.core.acceptance.send({
    account,
    requestId: system.core.newId("req"),
    channel,
    send: messageChannels[channel].sending.read({ contact }, { maxContacts: contact.length }),
    upload: null,
    idempotency: null,
  });
  if (result.kind !== "accepted") throw new Error(`The demo's ${channel} was not accepted: ${result.kind}.`);
}

/** Messages that each recipient gets alone. */
export function send(stage: Stage, channel: Channel, count: number): Promise<void> {
  const { draw } = stage;
  const contact = Array.from({ length: count }, () => {
    const to = person(draw);
    const { text: message, subject, reference } = pick(draw, written[channel])(draw, to);
    return {
      ...(channel === "email" ? { email: to.email, subject, name: to.name } : { number: to.number }),
      message,
      ...(reference === undefined ? {} : { reference }),
    };
  });
  return accept(stage, channel, contact);
}

function newsletter(stage: Stage, count: number): Promise<void> {
  const { draw } = stage;
  const contact = Array.from({ length: count }, () => {
    const to = person(draw);
    const { text: message, subject } = written.newsletter[0](draw, to);
    return { email: to.email, name: to.name, subject, message, reference: "newsletter" };
  });
  return accept(stage, "email", contact);
}

export function campaign(stage: Stage, count: number): Promise<void> {
  const contact = Array.from({ length: count }, () => ({
    number: person(stage.draw).number,
    message: campaignText,
    gateway_identifier: gateways.campaigns,
    reference: "beans-20-off",
  }));
  return accept(stage, "sms", contact);
}

/** What a million tokens cost, in millionths of the currency unit: of prompts, of completions. */
const prices: Readonly<Record<string, readonly [number, number]>> = {
  [models.chat]: [250_000, 2_000_000],
  [models.second]: [1_000_000, 5_000_000],
  [models.embedding]: [20_000, 0],
};

const teams = ["team=support", "team=shop", "team=kitchen"] as const;

/** Records the calls that the pools' keys made in an hour. */
async function recordCalls(stage: Stage, start: number, share: number): Promise<void> {
  const { system, draw } = stage;
  const calls: UsedCall[] = [];
  for (const [index, { share: each }] of poolKeys.entries())
    for (let count = Math.round(each * share * (0.5 + draw())); count > 0; count--)
      calls.push(callOf(stage, stage.keys[index]!, start + between(draw, 1, 3_599) * 1_000));
  if (calls.length > 0) await system.database.run(recordUsage, calls);
}

function callOf({ system, draw }: Stage, { key, pool }: Opened, at: number): UsedCall {
  const isEmbedding = pool.members[0]?.models.length === 0;
  const failsOver = !isEmbedding && draw() < 0.03;
  const member = failsOver ? members.second : members.chat;
  const model = isEmbedding ? models.embedding : failsOver ? models.second : models.chat;
  const prompt = isEmbedding ? between(draw, 8, 60) : between(draw, 250, 2_400);
  const completion = isEmbedding ? 0 : between(draw, 40, 600);
  const [input, output] = prices[model]!;
  const first = isEmbedding ? null : between(draw, 280, 900);
  const ms = (first ?? 90) + completion * 9 + between(draw, 10, 90);
  const waited = failsOver ? 420 : 0;
  const won: AttemptRecord = { member, model, started_ms: waited, ms, outcome: "ok", status: 200 };
  const failed: AttemptRecord = {
    member: members.chat,
    model: models.chat,
    started_ms: 0,
    ms: waited,
    outcome: "upstream_error",
    status: 503,
  };
  return {
    id: system.core.newId("cmp"),
    account_id: key.accountId,
    pool_id: key.poolId,
    key_id: key.id,
    at,
    day: localDay(at, key.timeZone),
    kind: isEmbedding ? "embeddings" : "chat",
    stream: !isEmbedding && draw() < 0.7 ? 1 : 0,
    status: 200,
    member,
    model,
    attempts: JSON.stringify(failsOver ? [failed, won] : [won]),
    failed_over: failsOver ? 1 : 0,
    prompt_tokens: prompt,
    completion_tokens: completion,
    estimated: 0,
    ...costOfPicos(BigInt(prompt * input + completion * output)),
    cached_tokens: 0,
    cache_write_tokens: 0,
    price_source: "list",
    first_byte_ms: first === null ? null : first + waited,
    ms: ms + waited,
    end_user: null,
    tags: JSON.stringify([pick(draw, teams)]),
    client_request_id: null,
    api: isEmbedding ? null : "chat",
    person: null,
    reused: null,
  };
}

/** Plays traffic from now until `end` (epoch ms), hour by hour. */
export async function playUntil(stage: PlayedStage, end: number): Promise<void> {
  while (stage.clock.now() < end) await playHour(stage, end);
}
