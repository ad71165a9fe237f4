// A call as a picture to scale: the members that were called, the waits between them, and how long the answer streamed.

import type { PoolCall } from "#ui/api/schema.ts";
import { Waterfall } from "#ui/parts/story/waterfall.tsx";
import { duration } from "#ui/words/numbers.ts";
import { spansOf } from "./call-spans.ts";

export function CallStory({ call }: { call: PoolCall }) {
  if (call.attempts.length === 0) return <p className="soft">No member was asked.</p>;
  return (
    <>
      <Waterfall spans={spansOf(call)} wholeMs={call.ms} />
      {call.first_byte_ms === null ? null : (
        <p className="small soft">
          First output after {duration(call.first_byte_ms)}, the end after {duration(call.ms)}.
        </p>
      )}
    </>
  );
}
