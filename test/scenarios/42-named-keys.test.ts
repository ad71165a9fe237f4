// Keys of an account that have a name: which gateways their messages take and keep, and how a key ends without an outage.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EngineName, type Harness, harness, someEngines } from "../harness.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { inject } from "../inject.ts";
import { provider, takes } from "./provider.ts";

const contact = { number: "+4915123456789", message: "Hi" };
const hour = 3_600_000;

async function opened(engine: EngineName) {
  const it = await harness({ engine, respond: takes });
  const personal = await it.account();
  await it.gateway({ identifier: "oldest", ...provider, default: false });
  await it.gateway({ identifier: "second", ...provider, default: false });
  await it.gateway({ identifier: "main", ...provider });
  const headers = bearer(await tokenFor(it));
  const ask = async (method: "POST" | "PATCH" | "DELETE" | "GET", path: string, body?: object) => {
    const request = { headers, ...(body === undefined ? {} : { body }) };
    const reply = await manage(it, method, `/accounts/${personal.id}${path}`, request);
    assert.ok(reply.statusCode < 300, reply.body);
    return reply.statusCode === 204 ? null : reply.json().data;
  };
  const named = async (fields: object) => {
    const made = await ask("POST", "/api-keys", { name: "app", scopes: ["send:sms", "read"], ...fields });
    const { id, key } = made as { id: string; key: string };
    return { id, key, as: () => it.as({ id: personal.id, key }) };
  };
  return { it, personal, ask, named };
}

const works = async (it: Harness, key: string) =>
  (await inject(it.system.app, { url: "/api/account", headers: { "api-key": key } })).statusCode === 200;

for (const engine of someEngines(import.meta.filename)) {
  describe(`named keys, on ${engine}`, () => {
    test("a message without a gateway takes the default one of those that its key names, or the oldest", async () => {
      const { it, named } = await opened(engine);
      const through = async (gateway_identifier?: string) => {
        const [id] = await it.accepted([{ ...contact, gateway_identifier }]);
        await it.settle();
        return (await it.message(id!)).gateway_identifier;
      };
      (await named({ name: "all" })).as();
      assert.deepEqual([await through(), await through("oldest")], ["main", "oldest"]);
      (await named({ name: "two", gateways: ["second", "oldest"] })).as();
      assert.deepEqual([await through(), await through("second")], ["oldest", "second"]);
      (await named({ name: "with main", gateways: ["oldest", "main"] })).as();
      assert.equal(await through(), "main");
      await it.close();
    });

    test("a gateway that the key does not name is refused like one that there is not", async () => {
      const { it, named, ask } = await opened(engine);
      const key = await named({ gateways: ["oldest"] });
      key.as();
      const refused = await it.send([contact, { ...contact, gateway_identifier: "main" }]);
      assert.equal(refused.statusCode, 422);
      assert.deepEqual(refused.json().errors, {
        "contact.1.gateway_identifier": ["The selected contact.1.gateway_identifier is invalid."],
      });
      await it.gateway({ identifier: "oldest", ...provider, default: false, active: false });
      const none = await it.send([contact]);
      assert.deepEqual(none.json().errors, {
        "contact.0.gateway_identifier": ["No active sms gateway is allowed for this API key."],
      });
      await ask("PATCH", `/api-keys/${key.id}`, { gateways: null });
      assert.equal((await it.send([contact])).statusCode, 200);
      await it.close();
    });

    test("a message of a key that names gateways stays where it is; others leave one that is off", async () => {
      const { it, named } = await opened(engine);
      const bound = await named({ name: "bound", gateways: ["main", "second"] });
      const free = await named({ name: "free" });
      const ids: Record<string, string | undefined> = {};
      for (const [name, key] of Object.entries({ bound, free })) {
        key.as();
        [ids[name]] = await it.accepted([{ ...contact, schedule_at: "2026-01-01 10:00:00" }]);
      }
      await it.gateway({ identifier: "main", ...provider, active: false });
      await it.advance(12 * hour);
      const through = async (id: string) => {
        const { gateway_identifier, status } = await it.message(id);
        return [gateway_identifier, status];
      };
      assert.deepEqual(await through(ids.bound!), ["main", "scheduled"]);
      assert.deepEqual(await through(ids.free!), ["oldest", "sent"]);
      await it.gateway({ identifier: "main", ...provider });
      await it.advance(1000);
      assert.deepEqual(await through(ids.bound!), ["main", "sent"]);
      await it.close();
    });

    test("a key that names gateways moves and repeats messages of these alone", async () => {
      const { it, personal, named } = await opened(engine);
      it.as(personal);
      const later = { ...contact, schedule_at: "2026-01-01 10:00:00" };
      const [onMain, onSecond] = await it.accepted([
        { ...later, gateway_identifier: "main" },
        { ...later, gateway_identifier: "second" },
      ]);
      (await named({ gateways: ["second"] })).as();
      const move = async (id: string | undefined) =>
        (await it.post(`/api/reschedule/sms/${id}`, { schedule_at: null })).statusCode;
      assert.deepEqual([await move(onMain), await move(onSecond)], [404, 200]);
      await it.advance(1_000);
      it.as(personal);
      assert.deepEqual(
        [(await it.message(onMain!)).status, (await it.message(onSecond!)).status],
        ["scheduled", "sent"],
      );
      it.respond(() => ({ kind: "no_answer", reason: "cut" }));
      const [unknown] = await it.accepted([{ ...contact, gateway_identifier: "main" }]);
      await it.advance(60_000);
      assert.equal((await it.message(unknown!)).status, "unknown");
      const resolve = async () =>
        (await it.post(`/api/resolve/sms/${unknown}`, { answer: "send_again" })).statusCode;
      (await named({ name: "bound", gateways: ["second"] })).as();
      assert.equal(await resolve(), 404);
      it.as(personal);
      assert.equal(await resolve(), 200);
      await it.close();
    });

    test("a key and the text before a rotation end at their times, and a revoked one at once here", async () => {
      const { it, named, ask } = await opened(engine);
      const expires_at = new Date(it.clock.now() + 30 * hour).toISOString();
      const { id, key } = await named({ expires_at });
      assert.ok(await works(it, key));
      const rotated = await ask("POST", `/api-keys/${id}/rotate`, { old_works_hours: 2 });
      assert.equal(rotated.previous_works_until, new Date(it.clock.now() + 2 * hour).toISOString());
      assert.deepEqual([await works(it, key), await works(it, rotated.key)], [true, true]);
      await it.advance(2 * hour);
      assert.deepEqual([await works(it, key), await works(it, rotated.key)], [false, true]);
      assert.equal((await ask("GET", `/api-keys/${id}`)).previous_works_until, null);
      await it.advance(28 * hour);
      assert.equal(await works(it, rotated.key), false);
      const other = await named({ name: "other" });
      assert.ok(await works(it, other.key));
      await ask("DELETE", `/api-keys/${other.id}`);
      assert.equal(await works(it, other.key), false);
      await it.close();
    });

    test("the personal key is renewed without an outage where the request says so", async () => {
      const { it, personal, ask } = await opened(engine);
      const second = (await ask("POST", "/api-key", { old_works_hours: 24 })).api_key;
      assert.deepEqual([await works(it, personal.key), await works(it, second)], [true, true]);
      const shown = (await ask("GET", "")).api_key;
      assert.equal(shown.hint, `${second.slice(0, 4)}…${second.slice(-4)}`);
      assert.equal(shown.previous_works_until, new Date(it.clock.now() + 24 * hour).toISOString());
      await it.advance(24 * hour);
      assert.deepEqual([await works(it, personal.key), await works(it, second)], [false, true]);
      const third = (await ask("POST", "/api-key")).api_key;
      assert.deepEqual([await works(it, second), await works(it, third)], [false, true]);
      assert.equal((await ask("GET", "")).api_key.previous_works_until, null);
      await it.close();
    });

    test("an Idempotency-Key is the account's, whichever of its keys is shown", async () => {
      const { it, personal, named } = await opened(engine);
      const headers = { "idempotency-key": "once" };
      it.as(personal);
      const first = await it.send([contact], headers);
      (await named({})).as();
      const again = await it.send([contact], headers);
      assert.equal(again.headers["idempotent-replayed"], "true");
      assert.deepEqual(again.json().data.contact, first.json().data.contact);
      await it.close();
    });
  });
}
