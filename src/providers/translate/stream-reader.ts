// Shared code of the stream readers.

import type { StreamPiece, StreamReader, VendorEvent } from "#providers/provider.ts";

/** `push` of a reader: nothing is read after a failure or the end. */
export function untilEnd(read: (event: VendorEvent) => StreamPiece[]): StreamReader["push"] {
  let hasEnded = false;
  return (event) => {
    if (hasEnded) return [];
    const pieces = read(event);
    hasEnded = pieces.some(({ kind }) => kind !== "chunk");
    return pieces;
  };
}

/** The reader, with a function between it and its pieces. The function must not depend on the text of content. */
export const mapPieces = (
  reader: StreamReader,
  change: (pieces: StreamPiece[]) => StreamPiece[],
): StreamReader => ({
  push: (event) => change(reader.push(event)),
  ...(reader.missing && { missing: () => reader.missing!() }),
  ...(reader.mayBeEmpty && { mayBeEmpty: () => reader.mayBeEmpty!() }),
  ...(reader.thinking && { thinking: () => reader.thinking!() }),
  ...(reader.allowsRuns && { allowsRuns: true }),
});
