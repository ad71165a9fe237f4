// A lane between its claim and its end, as its owner handles it; the same for every kind of lane.

import type { LanesTable } from "#store/schema/schema.ts";

/** A lane that is being driven. */
export interface OpenLane {
  id: string;
  fence: number;
  inFlight: number;
  wake(dueAt?: number): void;
  stop(): Promise<void>;
  abort(): void;
}

/**
 * A lane as it was claimed. `interrupted`: whether an earlier owner left attempts without an outcome, when that was read
 * for many lanes at once; a lane that is opened with it reads nothing before `wake`.
 */
export interface ClaimedLane extends LanesTable {
  interrupted?: boolean;
}
