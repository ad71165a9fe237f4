// Gives the memory of large buffers back when they are done with. V8 does so when it collects garbage next, by which time
// several of them may have piled up: a body of 28 MiB exists as its pieces, as one buffer and as text.

/** A buffer of fewer bytes is left to V8. */
const largeFrom = 1024 * 1024;

/** Nothing may read the bytes any more: they are gone, and so is all else in the memory that they are a part of. */
export function freeBytes({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= largeFrom) buffer.transfer(0);
}
