// A line to a port that speaks SMTP.

import { type Line, openLine } from "./line.ts";

/** A line that has been greeted; null when it was refused. */
export async function greeted(url: string, from?: string): Promise<Line | null> {
  const wire = await openLine(url, from);
  if (wire === null) return null;
  if (await wire.until(/^220 .*\r\n/m, 10_000)) {
    wire.clear();
    return wire;
  }
  wire.end();
  return null;
}

/** One command; the code of its answer, 0 when none came. */
export async function say(wire: Line, command: string, ms = 20_000): Promise<number> {
  wire.clear();
  await wire.write(`${command}\r\n`);
  await wire.until(/^\d{3} .*\r\n/m, ms);
  return Number(/^(\d{3}) /m.exec(wire.received())?.[1] ?? 0);
}
