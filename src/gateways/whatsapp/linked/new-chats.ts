// Limits how many people who never wrote to the number it may write to in a day. WhatsApp bans numbers that begin many chats, new ones
// first, so the limit grows from the day of linking.

import type { Outcome } from "#gateways/outcome.ts";
import type { Clock } from "#runtime/runtime.ts";
import { restricted } from "./outcome.ts";
import type { NewChats, SessionStore } from "./session-store.ts";

const dayMs = 86_400_000;
/** For the days since the device was linked. */
const ramp = [10, 15, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 95] as const;
const afterRamp = 100;

const dayNumber = (now: number) => Math.floor(now / dayMs);

/** Most new chats of the day; null for no limit. */
export function maxNewChats(
  setting: number | "ramp" | null,
  { linkedAt, now }: { linkedAt: number; now: number },
): number | null {
  if (setting !== "ramp") return setting;
  return ramp[Math.max(0, dayNumber(now) - dayNumber(linkedAt))] ?? afterRamp;
}

/** Today's counts. */
const chatsToday = (chats: NewChats | null, now: number): NewChats =>
  chats?.day === dayNumber(now) ? chats : { day: dayNumber(now), count: 0 };

/** Until the next day begins, ms. */
const untilTomorrow = (now: number) => (dayNumber(now) + 1) * dayMs - now;

export class NewChatGate {
  readonly #clock: Clock;
  readonly #store: SessionStore;
  readonly #setting: number | "ramp" | null;
  /** Until then the number may begin no chat, epoch ms; null if it may. */
  limitedUntil: number | null = null;

  constructor(clock: Clock, store: SessionStore, setting: number | "ramp" | null) {
    this.#clock = clock;
    this.#store = store;
    this.#setting = setting;
  }

  /** Limits new chats until then (epoch ms). True if this changes the limit. */
  limit(until: number | null): boolean {
    const ends = until !== null && until > this.#clock.now() ? until : null;
    if (ends === this.limitedUntil) return false;
    this.limitedUntil = ends;
    return true;
  }

  /** Counts and stores a chat that begins with a message; the outcome of a message that must not begin one now. */
  async admit(number: string): Promise<Outcome | null> {
    if (this.#store.knows(number)) return null;
    const now = this.#clock.now();
    if (this.limitedUntil !== null && this.limitedUntil > now)
      return {
        kind: "deferred",
        code: restricted,
        reason: "WhatsApp forbids the number to begin chats for a time.",
        retryAfterMs: this.limitedUntil - now,
      };
    this.limitedUntil = null;
    const linkedAt = this.#store.get("link")?.linkedAt ?? now;
    const max = maxNewChats(this.#setting, { linkedAt, now });
    const today = chatsToday(this.#store.get("newChats"), now);
    if (max !== null && today.count >= max)
      return {
        kind: "deferred",
        code: "new_chats_used_up",
        reason: `The number writes to ${max} new people today, and no more.`,
        retryAfterMs: untilTomorrow(now),
      };
    await this.#store.remember(number, { ...today, count: today.count + 1 });
    return null;
  }
}
