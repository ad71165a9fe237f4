// The end of the server: requests under way get their grace, streams a word, and the rest is closed.

import assert from "node:assert/strict";
import test from "node:test";
import { closeApp } from "#http/server/shutdown.ts";
import { movableClock } from "#runtime/movable-clock.ts";

function closing() {
  const clock = movableClock();
  const steps: string[] = [];
  let end = () => {};
  const app = {
    close: () =>
      new Promise<undefined>((resolve) => {
        end = () => resolve(undefined);
      }),
    server: {
      closeAllConnections: () => {
        steps.push("connections closed");
        end();
      },
    },
  };
  const closed = closeApp(app as never, clock, 30_000, () => steps.push("interrupted"));
  return { clock, steps, closed, end: () => end() };
}

test("requests that end within the grace period are not interrupted", async () => {
  const { clock, steps, closed, end } = closing();
  await clock.advance(29_999);
  end();
  await closed;
  assert.deepEqual(steps, []);
  assert.equal(clock.sleeping(), 0);
});

test("after the grace period streams are interrupted; a second later connections are closed", async () => {
  const { clock, steps, closed } = closing();
  await clock.advance(30_000);
  assert.deepEqual(steps, ["interrupted"]);
  await clock.advance(999);
  assert.deepEqual(steps, ["interrupted"]);
  await clock.advance(1);
  await closed;
  assert.deepEqual(steps, ["interrupted", "connections closed"]);
});
