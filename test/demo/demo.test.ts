// The demo's installation: a day of it, played on a clock that is moved by hand, and the same file on the machine's own clock.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemSettings } from "#command-line/open.ts";
import { readConfig } from "#config.ts";
import { gateways, members } from "#demo/installation.ts";
import { apiKey, openDemo, playDemo, poolKey } from "#demo/open-demo.ts";
import { systemClock } from "#runtime/clock.ts";
import { seededRandom } from "../harness.ts";
import { inject } from "../inject.ts";
import { testPasswordCost } from "../password-cost.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-demo-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A Wednesday afternoon. */
const now = Date.UTC(2026, 10, 25, 14, 20);
const allowed = () => null;
const read = readConfig({ TRUNKLINE_DATA_DIR: folder }, { OUTBOUND_ALLOW: allowed, PRICES: allowed });
assert.ok("config" in read);
const settings = { ...systemSettings(read.config), passwordCost: testPasswordCost };

type Row = Record<string, string | number | null>;

const play = (name: string) =>
  playDemo({ path: join(folder, name), settings, now, days: 1, random: seededRandom() });

/** What a key reads, without what differs between runs. */
async function rows(demo: Awaited<ReturnType<typeof play>>, path: string): Promise<Row[]> {
  const reply = await inject(demo.system.app, { url: path, headers: { "api-key": apiKey } });
  assert.equal(reply.statusCode, 200, path);
  return reply.json().data;
}

test("the same seed plays the same days, with every channel and some trouble", async () => {
  const first = await play("first.db");
  const second = await play("second.db");
  const shown = async (demo: typeof first) => {
    const lists = ["sms", "whatsapp", "email"].map((channel) => rows(demo, `/api/get/${channel}?limit=200`));
    return (await Promise.all(lists)).flat().map(({ id: _, request_id: __, ...row }) => row);
  };
  const messages = await shown(first);
  assert.deepEqual(messages, await shown(second));
  const statuses = new Set(messages.map(({ status }) => status));
  for (const status of ["delivered", "queued", "read"]) assert.ok(statuses.has(status), status);
  const waiting = messages.filter(({ status }) => status === "queued");
  assert.deepEqual(
    [...new Set(waiting.map(({ gateway_identifier }) => gateway_identifier))],
    [gateways.campaigns],
  );
  await second.close();
  await first.close();
});

test("the system goes on with the file, and its pool fails over", async () => {
  const { system } = await openDemo(join(folder, "first.db"), settings, systemClock());
  const reply = await inject(system.app, {
    method: "POST",
    url: "/api/ai/v1/chat/completions",
    headers: { authorization: `Bearer ${poolKey}website-chat` },
    payload: { messages: [{ role: "user", content: "Where is my order?" }] },
  });
  assert.equal(reply.statusCode, 200, reply.body);
  assert.equal(reply.json().service_pool.provider, members.second);
  await system.stop();
});
