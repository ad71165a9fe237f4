// A file as a disk may hold it after the power went: what was flushed is there, and of what was only written any part may
// be, sector by sector, in any order.

/** What becomes of what was not flushed. `sectors`: each one by chance; `garbage`: those that are lost hold anything. */
export type Fate =
  | { kind: "lost" }
  | { kind: "kept" }
  | { kind: "sectors"; size: number; fraction: () => number; garbage: boolean };

type Change = { offset: number; data: Buffer } | { truncate: number };

export class DiskFile {
  #durable = Buffer.alloc(0);
  #pending: Change[] = [];
  /** Changes made so far, and how many of them each thread's flush will cover. */
  #made = 0;
  readonly #covers = new Map<string, number>();

  write(offset: number, data: Buffer): void {
    this.#pending.push({ offset, data });
    this.#made += 1;
  }

  truncate(size: number): void {
    this.#pending.push({ truncate: size });
    this.#made += 1;
  }

  /** A flush begins: it covers what was written until now. */
  sync(thread: string): void {
    this.#covers.set(thread, this.#made);
  }

  /** It has ended; one that was never seen to begin began now. */
  synced(thread: string): void {
    const covered = this.#covers.get(thread) ?? this.#made;
    this.#covers.delete(thread);
    const flushed = this.#pending.length - (this.#made - covered);
    if (flushed <= 0) return;
    this.#durable = applied(this.#durable, this.#pending.splice(0, flushed));
  }

  /** Bytes that a power cut could take. */
  get unflushed(): number {
    return this.#pending.reduce((sum, change) => sum + ("data" in change ? change.data.length : 0), 0);
  }

  image(fate: Fate): Buffer {
    if (fate.kind === "lost") return Buffer.from(this.#durable);
    if (fate.kind === "kept") return applied(this.#durable, this.#pending);
    return applied(
      this.#durable,
      this.#pending.flatMap((change) => survivors(change, fate)),
    );
  }
}

function applied(before: Buffer, changes: readonly Change[]): Buffer<ArrayBuffer> {
  let size = before.length;
  let max = size;
  for (const change of changes) {
    size = "truncate" in change ? change.truncate : Math.max(size, change.offset + change.data.length);
    max = Math.max(max, size);
  }
  const after = Buffer.alloc(max);
  before.copy(after);
  let end = before.length;
  for (const change of changes) {
    if ("truncate" in change) {
      // What is cut off and grown again is zeros.
      after.fill(0, Math.min(end, change.truncate), Math.max(end, change.truncate));
      end = change.truncate;
    } else {
      change.data.copy(after, change.offset);
      end = Math.max(end, change.offset + change.data.length);
    }
  }
  return after.subarray(0, size);
}

function survivors(
  change: Change,
  { size, fraction, garbage }: Extract<Fate, { kind: "sectors" }>,
): Change[] {
  if ("truncate" in change) return fraction() < 0.5 ? [change] : [];
  const left: Change[] = [];
  const end = change.offset + change.data.length;
  for (let start = change.offset; start < end; ) {
    const stop = Math.min(end, (Math.floor(start / size) + 1) * size);
    const data = change.data.subarray(start - change.offset, stop - change.offset);
    if (fraction() < 0.5) left.push({ offset: start, data });
    else if (garbage)
      left.push({ offset: start, data: Buffer.from(data.map(() => Math.floor(fraction() * 256))) });
    start = stop;
  }
  return left;
}
