// GET /api/manage/v1/accounts/{account}/events: a stream of hints that something in the account changed.

import { accountEvents, type Topic } from "#contract/manage/account-events.ts";
import { problem } from "#contract/problem.ts";
import { isStillAdmitted } from "#http/auth/management.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import type { Reply } from "#http/reply/response.ts";
import { type EventSource, eventStreamHeaders } from "#http/reply/sse.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { version } from "#runtime/program.ts";

/** A client connects again when its stream ends, possibly to another process. */
const maxMs = 60 * 60_000;
/** How often the stream checks whether the session, user or token still gives access to the account. */
const lookMs = 60_000;
const retryMs = 3_000;

/** The text of one event. */
const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** The account's hints from now on; null if the caller has the maximum number of streams. */
function hintsOf(call: ManageAccountCall): EventSource | null {
  const { core, account, principal } = call;
  const { clock } = core;
  const waiting = new Set<Topic>();
  let greeting: string | null =
    `retry: ${retryMs}\n\n${frame("hello", { process: core.processId, version })}`;
  let isOver = false;
  let wake: (() => void) | null = null;
  const ended = new LightAbortController();
  const rouse = () => {
    wake?.();
    wake = null;
  };
  const over = () => {
    isOver = true;
    watch?.end();
    ended.abort();
    rouse();
  };
  const watch = core.accountChanges.watch(account.id, principal.id, {
    changed: (topics) => {
      for (const topic of topics) waiting.add(topic);
      rouse();
    },
    over,
  });
  if (watch === null) return null;
  const lookAgain = async () => {
    const startedAt = clock.monotonic();
    while (!isOver) {
      await clock.sleep(lookMs, ended);
      if (isOver) return;
      // While the storage does not answer, the last known permission applies.
      const isAdmitted = await isStillAdmitted(watchAccountRoute.head, call, account.id).catch(() => true);
      if (!isAdmitted || clock.monotonic() - startedAt >= maxMs) over();
    }
  };
  void lookAgain();
  return {
    next: async () => {
      if (greeting !== null) {
        const text = greeting;
        greeting = null;
        return text;
      }
      if (waiting.size === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (isOver) return null;
      const topics = [...waiting].sort();
      waiting.clear();
      return frame("changed", { topics, at: new Date(clock.now()).toISOString() });
    },
    cancel: over,
  };
}

export const watchAccountRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/events",
  name: "watchAccount",
  tag: "Accounts",
  summary: "Watch the account",
  description:
    "A stream of server-sent events. It says which kinds of things changed, and carries no data: read again what you show. Nothing is repeated after a broken connection, so read everything once after `hello`. It ends after an hour, and when the session, user or token ends. A person or token may have 20 streams.",
  scope: "account",
  replies: { 200: accountEvents },
  replyType: "text/event-stream",
})(async (call): Promise<Reply> => {
  const hints = hintsOf(call);
  if (hints === null)
    return problem("rate_limited", {
      retryAfterMs: 5_000,
      message: "20 streams are open already. Close one first.",
    });
  return { status: 200, body: hints, headers: eventStreamHeaders };
});
