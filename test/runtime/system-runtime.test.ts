// The runtime of a real process, in a real process: crash points kill at the named hit and let nothing run after it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { readAllowList } from "#runtime/net/address.ts";
import { systemRuntime } from "#runtime/system-runtime.ts";

const names = ["stamp.before", "stamp.after", "stamp.after", "send.before", "stamp.after"];

/** Passes the points in order in a child process, writing each one down before and after it. */
function run(crashAt: string | null): { signal: string | null; passed: string[] } {
  const script = `
    import { writeSync } from "node:fs";
    import { systemRuntime } from "#runtime/system-runtime.ts";
    const runtime = systemRuntime({ logLevel: "info", outboundAllow: [], ...(${JSON.stringify({ crashAt })}) });
    for (const name of ${JSON.stringify(names)}) { runtime.crashPoint(name); writeSync(1, name + "\\n"); }
  `.replace('"crashAt":null', "");
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: new URL("../..", import.meta.url),
    encoding: "utf8",
  });
  return { signal: child.signal, passed: child.stdout.split("\n").filter((line) => line !== "") };
}

describe("crash points", () => {
  const table: [crashAt: string | null, passed: number, signal: string | null][] = [
    [null, 5, null],
    ["stamp.before", 0, "SIGKILL"],
    ["stamp.after", 1, "SIGKILL"],
    ["stamp.after:1", 1, "SIGKILL"],
    ["stamp.after:2", 2, "SIGKILL"],
    ["stamp.after:3", 4, "SIGKILL"],
    ["stamp.after:4", 5, null],
    ["stamp", 5, null],
    ["settle.before", 5, null],
  ];
  for (const [crashAt, passed, signal] of table) {
    test(`${crashAt ?? "none"}: ${passed} points passed`, () => {
      assert.deepEqual(run(crashAt), { signal, passed: names.slice(0, passed) });
    });
  }
});

test("the parts are there, and outbound obeys the allow list", async () => {
  const runtime = systemRuntime({ logLevel: "silent", outboundAllow: readAllowList("10.0.0.0/8") });
  assert.equal(runtime.random.bytes(16).length, 16);
  assert.ok(runtime.clock.now() > 1_700_000_000_000);
  assert.equal(runtime.outbound.rejectReason("http://10.1.1.1/"), null);
  assert.notEqual(runtime.outbound.rejectReason("http://127.0.0.1/"), null);
  assert.equal(runtime.crashPoint("accept.before"), undefined);
  await runtime.outbound.close();
});
