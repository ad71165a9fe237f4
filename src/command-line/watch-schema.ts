// Notices that a newer release has migrated the database while this one runs.

import { describeError } from "#runtime/describe-error.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { readSchema } from "#store/maintenance/installation.ts";
import { mayRun, newerSchema, newestSchema } from "#store/schema/migrate.ts";

const everyMs = 15_000;

/**
 * Looks every 15 s, until it stops: logs once that a newer release has changed the database and this one goes on, or calls `end` if this one
 * may not.
 */
export async function watchSchema(
  { clock, log, database }: { clock: Pick<Clock, "sleep">; log: Log; database: Pick<Database, "run"> },
  stopping: AbortSignal,
  end: () => void,
  known = newestSchema,
): Promise<void> {
  let seen = known;
  while (!stopping.aborted) {
    try {
      const state = await database.run(readSchema, null);
      if (!mayRun(state, known)) {
        log.error({ event: "schema.unreadable", schema: state.newest, known }, newerSchema(state, known));
        return end();
      }
      if (state.newest > seen)
        log.info(
          { event: "schema.newer", schema: state.newest, known },
          "A newer version has changed the database. This one may run beside it, and goes on.",
        );
      seen = Math.max(seen, state.newest);
    } catch (error) {
      // An outage: the next look says more.
      log.debug({ event: "schema.unknown", reason: describeError(error) }, "The schema could not be read.");
    }
    await clock.sleep(everyMs, stopping).catch(() => {});
  }
}
