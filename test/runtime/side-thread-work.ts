// What the thread of the side thread's test does: as asked.

import { serveWorker } from "#runtime/worker-thread.ts";

serveWorker((task: { kind: "say"; bytes: Uint8Array } | { kind: "throw" | "end" | "spin" | "fill" }) => {
  switch (task.kind) {
    case "say":
      return `said ${task.bytes.length}`;
    case "throw":
      throw new Error("no");
    case "end":
      process.exit(7);
      break;
    case "spin":
      for (;;);
    case "fill": {
      const kept: string[][] = [];
      for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => `${i} ${kept.length}`));
    }
  }
});
