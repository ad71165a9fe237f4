// What transactions changed, for tests.

import type { Topic } from "#contract/manage/account-events.ts";
import type { ChangeKind, Changes } from "#store/changes.ts";
import type { Database } from "#store/database.ts";

type Listeners = { [Kind in ChangeKind]?: () => void } & {
  due?(laneId: string, dueAt: number): void;
  topic?(subject: string, topic: Topic): void;
};

/** Calls the listeners for what transactions change from now on. Returns the function that ends it. */
export function onChanges(database: Pick<Database, "onChanges">, listeners: Listeners): () => void {
  return database.onChanges(({ kinds, due, topics }) => {
    for (const kind of kinds) listeners[kind]?.();
    for (const [laneId, dueAt] of due) listeners.due?.(laneId, dueAt);
    for (const [subject, found] of topics) for (const topic of found) listeners.topic?.(subject, topic);
  });
}

/** Changes of these kinds alone. */
export const changesOf = (...kinds: ChangeKind[]): Changes => ({ kinds, due: [], topics: [] });
