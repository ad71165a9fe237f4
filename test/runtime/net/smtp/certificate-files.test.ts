// A certificate whose files change while the service runs.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { readCertificate, watchCertificate } from "#runtime/net/smtp/certificate-files.ts";
import { cert, key } from "../../../gateways/email/certificate.ts";
import { memoryLog } from "../../../log.ts";
import { cert as otherCert, key as otherKey } from "../../certificate.ts";

test("a new pair is used once both files fit", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  await assert.rejects(readCertificate(files), /ENOENT/);
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, otherKey);
  await assert.rejects(readCertificate(files));
  writeFileSync(files.key, key);
  const first = await readCertificate(files);
  const clock = movableClock();
  const stop = new AbortController();
  const seen: string[] = [];
  const log = memoryLog();
  watchCertificate(files, first, { clock, log, signal: stop.signal }, (next) => seen.push(next.cert));
  await clock.advance(60_000);
  assert.deepEqual(seen, []);
  writeFileSync(files.cert, otherCert);
  await clock.advance(60_000);
  assert.deepEqual(seen, []);
  assert.ok(log.lines().some(({ event }) => event === "certificate.unreadable"));
  writeFileSync(files.key, otherKey);
  await clock.advance(60_000);
  assert.deepEqual(seen, [otherCert]);
  stop.abort();
});
