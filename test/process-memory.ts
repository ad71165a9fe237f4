// What the system says about the memory and the work of another process.

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

/** Seconds that all threads of a process have been on a processor. Null elsewhere than on Linux. */
export function cpuSeconds(pid: number): number | null {
  try {
    // Behind the name, which may hold blanks: the 12th and 13th field are user and system time, in hundredths.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}
