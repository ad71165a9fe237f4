// Recorded streams as events: for recordings, which are tidy. The gateway's own reader knows every untidy case.

import type { VendorEvent } from "#providers/provider.ts";

/** The events of a recording: blocks with `event:` and `data:` lines, apart by an empty line. */
export function eventsOf(recording: string): VendorEvent[] {
  return recording
    .split(/\r?\n\r?\n/)
    .map((block) => block.split(/\r?\n/))
    .flatMap((lines) => {
      const field = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
      const data = field("data");
      return data.length === 0 ? [] : [{ event: field("event")[0] ?? null, data: data.join("\n") }];
    });
}

/** A recording from objects: an event's name is its `type`, where it has one. */
export function recordingOf(events: readonly object[]): string {
  return events
    .map((event) => {
      const name = "type" in event ? `event: ${String(event.type)}\n` : "";
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
}
