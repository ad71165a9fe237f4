// A call as a picture: which members were asked one after the other, and what came of it.

import type { PoolCall } from "#ui/api/schema.ts";
import { Waterfall } from "#ui/parts/story/waterfall.tsx";

/** Members are asked one after the other: each begins when the one before has ended. */
export function CallStory({ call }: { call: PoolCall }) {
  if (call.attempts.length === 0) return <p className="soft">No member was asked.</p>;
  const spans = call.attempts.map(({ member, model, ms, outcome, status }, at) => ({
    key: `${at}`,
    status: outcome === "ok" || member === call.member ? "ok" : "failed",
    name: member,
    note: [model, outcome.replaceAll("_", " "), status].filter((part) => part !== null).join(" · "),
    fromMs: call.attempts.slice(0, at).reduce((sum, before) => sum + before.ms, 0),
    ms,
  }));
  return <Waterfall spans={spans} wholeMs={call.ms} />;
}
