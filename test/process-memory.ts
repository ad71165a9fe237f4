// What the system says about the memory of another process.

import { readFileSync, writeFileSync } from "node:fs";

/** A field of `/proc/<pid>/status` in MiB: what is resident now, or its peak. Null elsewhere than on Linux. */
export function memoryMib(pid: number, field: "VmRSS" | "VmHWM"): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}

/** Forgets the peak, so that `VmHWM` speaks of what comes now. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Not Linux: memoryMib says so.
  }
}
