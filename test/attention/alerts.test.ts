// Hooks report what needs a person: over a gateway that can send, once, also after a crash, and the overview says when they cannot.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runAlerts } from "#attention/alerts.ts";
import type { HookRecord } from "#contract/hooks/hooks.ts";
import type { AttentionData } from "#contract/manage/overview.ts";
import type { Database } from "#store/database.ts";
import { saveAlertCauses } from "#store/hooks/alerts.ts";
import { createdBy, dataOf, type Managed, managed } from "../http/routes/manage/managed.ts";

let m: Managed;
before(async () => {
  m = await managed({ started: false });
});
after(() => m.close());

const minute = 60_000;
const number = "+4915123456789";

let accounts = 0;

/** A new account with two sandboxes for SMS, of which `box` is the default, and one for mail. */
async function accountOf() {
  accounts += 1;
  const account = await m.it.account({ name: `acme ${accounts}`, country: "DE" });
  m.it.as(account);
  const name = account.id.slice(-8);
  const sandboxes = [`box-${name}`, `other-${name}`, `mail-${name}`] as const;
  await m.it.gateway({ identifier: sandboxes[0], default: true });
  await m.it.gateway({ identifier: sandboxes[1] });
  await m.it.gateway({ identifier: sandboxes[2], channel: "email", default: true });
  const path = `/accounts/${account.id}`;
  /** The newest first. No lane runs here, so each message is late some time later, which says nothing about alerts. */
  const messages = async (channel = "sms") => {
    const found = await m.operator("GET", `${path}/messages?limit=50&channel=${channel}`);
    return dataOf<{ message: string; gateway_identifier: string }[]>(found).filter(
      ({ message }) => !message.includes("should have been sent"),
    );
  };
  return {
    account,
    path,
    sandboxes,
    messages,
    texts: async () => (await messages()).map(({ message }) => message),
    hook: (fields: object = {}) =>
      createdBy<HookRecord>(m.operator, `${path}/hooks`, {
        name: "alerts",
        preset: "attention",
        channel: "sms",
        to: [number],
        attention: { severities: ["error", "warning"] },
        ...fields,
      }),
    attention: async () => {
      const { attention } = dataOf<{ attention: AttentionData[] }>(
        await m.operator("GET", `${path}/overview`),
      );
      return attention;
    },
    pause: (gateway: string) => m.operator("POST", `${path}/gateways/${gateway}/pause`),
    resume: (gateway: string) => m.operator("POST", `${path}/gateways/${gateway}/resume`),
  };
}

const deps = (database?: Database) => {
  const { core } = m.it.system;
  return { ...core, ...(database ? { database } : {}), publicUrl: null };
};

/** Looks once a minute. */
async function look(minutes: number, database?: Database): Promise<void> {
  for (let i = 0; i < minutes; i += 1) {
    await runAlerts(deps(database), new AbortController().signal);
    await m.it.clock.advance(minute);
  }
}

test("a gateway that stopped is reported once, and so is its end", async () => {
  const { sandboxes, hook, pause, resume, texts, account } = await accountOf();
  const [, other] = sandboxes;
  const { attention } = await hook();
  assert.deepEqual(attention, {
    severities: ["error", "warning"],
    after_minutes: 5,
    ended: true,
    per_hour: 20,
  });
  await pause(other);
  await look(5);
  assert.deepEqual(await texts(), []);
  await look(20);
  const { name } = dataOf<{ name: string }>(await m.operator("GET", `/accounts/${account.id}`));
  assert.equal((await texts()).length, 1);
  assert.match((await texts())[0] ?? "", new RegExp(`^${name}: gateway ${other} is stopped\\. `));
  await resume(other);
  await look(20);
  assert.deepEqual((await texts())[0], `${name}: over: gateway ${other} is stopped.`);
  assert.equal((await texts()).length, 2);
});

test("the preset alone switches it on, and a hook of errors reports no warning", async () => {
  const { sandboxes, hook, pause, texts, path } = await accountOf();
  const { attention, id } = await hook({ attention: undefined });
  assert.deepEqual(attention?.severities, ["error"]);
  await pause(sandboxes[1]);
  await look(20);
  assert.deepEqual(await texts(), []);
  await m.operator("PATCH", `${path}/hooks/${id}`, { attention: { severities: ["warning"] } });
  await look(6);
  assert.equal((await texts()).length, 1);
});

test("the gateway that broke does not carry its own alert; without another one, the overview and the log say so", async () => {
  const { sandboxes, hook, pause, resume, messages, attention, account } = await accountOf();
  const [box, other] = sandboxes;
  const { id } = await hook();
  await pause(box);
  await look(8);
  assert.deepEqual(await messages(), [], "another sandbox is no way to a person");
  const blocked = (await attention()).find(({ kind }) => kind === "alerts_blocked");
  assert.deepEqual(
    [blocked?.subject, blocked?.severity, blocked?.reason],
    [{ id, name: "alerts" }, "error", "No gateway of the channel sms can send now."],
  );
  const logged = m.it.log.text().match(new RegExp(`"event":"alerts.blocked"[^\n]*${account.id}`, "g"));
  assert.equal(logged?.length, 1, "once, not each minute");
  // A real one carries it, while the sandbox stays stopped.
  const real = `real-${account.id.slice(-8)}`;
  await m.it.gateway({
    identifier: real,
    kind: "http-api",
    settings: { url: "https://provider.test/send", body: { to: "{{to}}", text: "{{message}}" } },
  });
  await look(1);
  assert.deepEqual(
    (await messages()).map(({ gateway_identifier }) => gateway_identifier),
    [real],
  );
  assert.equal(
    (await attention()).some(({ kind }) => kind === "alerts_blocked"),
    false,
  );
  await resume(box);
  await look(7);
  assert.equal((await messages())[0]?.gateway_identifier, box, "its own gateway is the first choice");
  assert.notEqual(other, box);
});

test("another hook, over another channel, reports that the first one cannot", async () => {
  const { sandboxes, hook, pause, messages } = await accountOf();
  await hook();
  await hook({
    name: "mail",
    channel: "email",
    to: ["ops@example.com"],
    attention: { severities: ["error"] },
  });
  await pause(sandboxes[0]);
  await look(30);
  assert.deepEqual(await messages("sms"), []);
  const mails = await messages("email");
  assert.deepEqual(
    mails.map(({ message }) => /hook alerts cannot report what needs attention/.test(message)),
    [true],
  );
});

test("a crash between the send and its note sends nothing twice, and one before it loses nothing", async () => {
  const { sandboxes, hook, pause, texts } = await accountOf();
  await hook();
  await pause(sandboxes[1]);
  await look(5);
  const { database } = m.it.system.core;
  let crashes = 0;
  const crashing = {
    ...database,
    run: async (operation: never, input: never) => {
      const { put = [] } = (input ?? {}) as unknown as { put?: { begun_at: number | null }[] };
      if ((operation as unknown) === saveAlertCauses && put.some(({ begun_at }) => begun_at !== null)) {
        crashes += 1;
        throw new Error("crashed");
      }
      return await database.run(operation, input);
    },
  } as unknown as Database;
  await assert.rejects(look(1, crashing), /crashed/);
  assert.deepEqual([crashes, (await texts()).length], [1, 1]);
  await look(10);
  assert.equal((await texts()).length, 1);
});

test("a hook reports its own account's items alone, and one that is switched off or deleted reports none", async () => {
  const [ours, theirs] = [await accountOf(), await accountOf()];
  await theirs.hook();
  await ours.pause(ours.sandboxes[1]);
  m.it.as(theirs.account);
  await look(10);
  assert.deepEqual(await theirs.texts(), []);
  const off = await ours.hook({ active: false });
  m.it.as(ours.account);
  await look(10);
  await m.operator("PATCH", `${ours.path}/hooks/${off.id}`, { active: true });
  await look(3);
  assert.equal((await m.operator("DELETE", `${ours.path}/hooks/${off.id}`)).statusCode, 204);
  await look(10);
  assert.deepEqual(await ours.texts(), []);
});

test("a plan that has ended sends nothing", async () => {
  const { hook, attention, path, texts } = await accountOf();
  await hook();
  await m.operator("PATCH", path, {
    plan: { name: "p", expires_at: new Date(m.it.clock.now()).toISOString() },
  });
  await look(8);
  assert.deepEqual(await texts(), []);
  assert.equal(
    (await attention()).find(({ kind }) => kind === "alerts_blocked")?.reason,
    "The account's plan has ended.",
  );
});
