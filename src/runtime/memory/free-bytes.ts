// Frees the memory of large buffers as soon as they are no longer needed. V8 does so at its next garbage collection, by which time several
// may have accumulated: a body of 28 MiB exists as its pieces, as one buffer and as text.

/** Smaller buffers are left to V8. */
const largeFrom = 1024 * 1024;

/** The bytes must not be read any more: their whole underlying memory is gone. */
export function freeBytes({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= largeFrom) buffer.transfer(0);
}
