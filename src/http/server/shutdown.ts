// Ends the HTTP server: requests in progress get a grace period, then their connections are closed.

import type { HttpServer } from "#runtime/net/http-server.ts";
import type { Clock } from "#runtime/runtime.ts";

/** How long the last event of an interrupted stream may take to be written. */
const drainMs = 1_000;

/**
 * Stops accepting and waits up to `graceMs` for the requests in progress. Then `interrupt` ends the streams with an error event, and after
 * another second the remaining connections are closed.
 */
export async function closeApp(
  app: Pick<HttpServer, "close"> & { server: { closeAllConnections(): void } },
  clock: Clock,
  graceMs: number,
  interrupt: () => void,
): Promise<void> {
  const timer = new AbortController();
  const closed = app.close().then(() => timer.abort());
  await clock.sleep(graceMs, timer.signal);
  if (!timer.signal.aborted) {
    interrupt();
    await clock.sleep(drainMs, timer.signal);
    app.server.closeAllConnections();
  }
  await closed;
}
