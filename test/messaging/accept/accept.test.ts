// Accepting a send when storage misbehaves: what the caller may hear.

import assert from "node:assert/strict";
import test from "node:test";
import type { Account } from "#accounts/account.ts";
import { readEmail } from "#contract/messages/email.ts";
import { readSms } from "#contract/messages/sms.ts";
import { type AcceptResult, acceptSend, issuesOf } from "#messaging/accept/accept.ts";
import type { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import { createIds } from "#runtime/ids.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Database, StorageError, type StorageFault } from "#store/database.ts";
import type { UploadedFile } from "#store/email/attachments.ts";
import type { SendInput } from "#store/messages/send.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";

const account: Account = {
  id: "acc_1",
  name: "acme",
  timeZone: "Pacific/Auckland",
  country: null,
  plan: { name: "basic", expiresAt: null },
  requestsPerMinute: null,
  attachments: { maxFiles: 10, maxBytes: 10_485_760 },
  gateways: ["one", "two"].map((identifier) => ({
    id: `gw_${identifier}`,
    identifier,
    channel: "sms" as const,
    kind: "http-api",
    contents: ["text"] as const,
    active: true,
    isDefault: identifier === "one",
    test: false,
  })),
};

/** What only a send through a spread uses. */
const unspread = {
  log: memoryLog(),
  random: seededRandom(1),
  sealer: createSealer("a master key that is only used in tests", seededRandom(1)),
};

const counting = (counted: [channel: string, what: string | number][]) => ({
  accepted: (channel: string, messages: number) => void counted.push([channel, messages]),
  refused: (channel: string, why: string) => void counted.push([channel, why]),
});

/** Each call takes the next entry: a value to answer with, or a fault to throw. */
type Script = (StorageFault | { answer: unknown })[];

function accepting(script: Script, contact: object[] = [{ number: "+4915123456789", message: "Hi" }]) {
  const clock = movableClock();
  const calls: { name: string; input: unknown; at: number }[] = [];
  const database: Database = {
    engine: "postgres",
    run: async (operation, input) => {
      calls.push({ name: operation.name, input, at: clock.monotonic() });
      const next = script.length > 1 ? script.shift()! : script[0]!;
      if (typeof next === "object") return next.answer as never;
      throw new StorageError(next, `scripted ${next}`);
    },
    onChanges: () => () => {},
    notify: () => {},
    onNotify: () => {},
    close: async () => {},
  };
  const counted: [channel: string, what: string | number][] = [];
  const deps = {
    database,
    clock,
    newIds: createIds(clock, seededRandom()).many,
    inProgressKeys: new Set<string>(),
    crashPoint: () => {},
    ...unspread,
    metrics: counting(counted),
  };
  const send = readSms({ contact }, { maxContacts: 100 });
  const request = {
    account,
    requestId: "req_1",
    channel: "sms",
    send,
    upload: null,
    idempotency: null,
  } as const;
  const result = acceptSend(deps, request);
  const finished = async (): Promise<AcceptResult> => {
    await Promise.race([result.catch(() => {}), clock.advance(60_000)]);
    return await result;
  };
  return { calls, counted, finished };
}

const storedAnswer = { answer: { kind: "stored" } };

test("what is stored is accepted", async () => {
  const contact = ["one", "two", "one"].map((gateway_identifier, i) => ({
    number: `+491512345678${i}`,
    message: "Hi",
    gateway_identifier,
    ...(i === 2 ? { schedule_at: "2030-01-01 00:00:00" } : {}),
  }));
  const { finished, calls, counted } = accepting([storedAnswer], contact);
  const result = await finished();
  assert.deepEqual(counted, [["sms", 3]]);
  assert.equal(result.kind, "accepted");
  if (result.kind !== "accepted") return;
  assert.equal(result.requestId, "req_1");
  assert.deepEqual(result.statuses, ["queued", "queued", "scheduled"]);
  const input = calls[0]?.input as SendInput;
  assert.deepEqual(
    input.messages.map(({ id }) => id),
    result.ids,
  );
  assert.equal(new Set(result.ids).size, 3);
  assert.equal(input.cost, 3);
  assert.equal(input.priority, 0);
  // The local month began before the one in UTC did: 2026-01-01 00:00 there.
  assert.equal(input.renewedFrom, Date.parse("2025-12-31T11:00:00Z"));
});

test("faults of the request never reach storage", async () => {
  const { finished, calls, counted } = accepting([storedAnswer], [{ number: "x", message: "Hi" }]);
  assert.equal((await finished()).kind, "invalid");
  assert.deepEqual([calls, counted], [[], [["sms", "invalid"]]]);
});

test("a send that its body refuses gets the account's issues as well, is counted, and is stored nowhere", async () => {
  const clock = movableClock();
  const counted: [channel: string, what: string | number][] = [];
  const deps = { clock, newIds: createIds(clock, seededRandom()).many, metrics: counting(counted) };
  const send = readSms({ contact: [{ number: "x" }] }, { maxContacts: 100 });
  const issues = await issuesOf(deps, { account, channel: "sms", send });
  assert.deepEqual(
    issues.map(({ path }) => path.join(".")),
    ["contact.0.message", "contact.0.number"],
  );
  assert.deepEqual(counted, [["sms", "invalid"]]);
});

test("too little credit accepts nothing and wakes no lane", async () => {
  const { finished } = accepting([{ answer: { kind: "insufficient_credit", remaining: 0 } }]);
  assert.deepEqual(await finished(), { kind: "insufficient_credit", needed: 1, remaining: 0 });
});

for (const fault of ["unavailable", "full", "io"] as const) {
  test(`storage that is ${fault} is answered as unavailable`, async () => {
    const { finished } = accepting([fault]);
    assert.deepEqual(await finished(), { kind: "unavailable", retryAfterMs: 5000 });
  });
}

test("a bug is not called unavailable", async () => {
  const { finished } = accepting(["failed"]);
  await assert.rejects(finished(), StorageError);
});

test("a broken COMMIT that turns out to have been stored is accepted", async () => {
  const { finished, calls } = accepting(["commit_unknown", "unavailable", { answer: true }]);
  assert.equal((await finished()).kind, "accepted");
  assert.deepEqual(
    calls.map(({ name }) => name),
    ["storeSends", "confirmRequest", "confirmRequest"],
  );
});

test("a broken COMMIT that turns out not to have been stored is unavailable", async () => {
  const { finished } = accepting(["commit_unknown", { answer: false }]);
  assert.deepEqual(await finished(), { kind: "unavailable", retryAfterMs: 5000 });
});

test("what cannot be found out within 10 s is answered as unknown", async () => {
  const { finished, calls } = accepting(["commit_unknown", "unavailable"]);
  assert.deepEqual(await finished(), { kind: "commit_unknown", retryAfterMs: 5000 });
  const last = calls.at(-1)!.at;
  assert.ok(last >= 9000 && last < 10_000, `last asked after ${last} ms`);
});

test("a proof that breaks in its own COMMIT is asked for again", async () => {
  const { finished } = accepting(["commit_unknown", "commit_unknown", { answer: true }]);
  assert.equal((await finished()).kind, "accepted");
});

const mailer: Account = {
  ...account,
  gateways: [
    { ...account.gateways[0]!, id: "gw_mail", identifier: "mail", channel: "email", contents: ["email"] },
  ],
};
const mail = { email: "ada@example.com", subject: "Hello", message: "Hi" };
const file: UploadedFile = {
  id: "att_1",
  filename: "a.pdf",
  content_type: "application/pdf",
  size: 3,
  sha256: "00",
};

/** Has an email accepted under a key; gives what became of it and what storage was asked. */
async function acceptMail(answer: object, contact: object = mail, files: readonly UploadedFile[] = [file]) {
  const clock = movableClock();
  let committed = false;
  const upload = {
    files: () => files,
    commit: () => {
      committed = true;
    },
  } as unknown as AttachmentUpload;
  const calls: { name: string; input: unknown }[] = [];
  const run = async ({ name }: { name: string }, input: unknown) => {
    calls.push({ name, input });
    return name === "storeSends" ? answer : null;
  };
  const deps = {
    database: { run } as unknown as Database,
    clock,
    newIds: createIds(clock, seededRandom()).many,
    inProgressKeys: new Set<string>(),
    crashPoint: () => {},
    ...unspread,
    metrics: counting([]),
  };
  const send = readEmail({ contact: [contact] }, { maxContacts: 100 });
  const idempotency = { path: "/p", key: "k" };
  const request = {
    account: mailer,
    requestId: "req_1",
    channel: "email",
    send,
    upload,
    idempotency,
  } as const;
  const result = await acceptSend(deps, request);
  return { result, committed, input: calls.find(({ name }) => name === "storeSends")?.input as SendInput };
}

test("an email is stored with its own columns and its files, for one credit", async () => {
  const { result, input, committed } = await acceptMail(storedAnswer.answer);
  assert.ok(committed);
  assert.ok(result.kind === "accepted");
  assert.equal(input.channel, "email");
  assert.equal(input.cost, 1);
  assert.deepEqual(input.emails, [
    { message_id: result.ids[0], subject: "Hello", sender_name: null, reply_to: null, extras: null },
  ]);
  assert.deepEqual(input.attachments, [file]);
});

test("what was staged and is gone is answered as unavailable", async () => {
  const { result, committed } = await acceptMail({ kind: "file_gone" });
  assert.equal(committed, false);
  assert.deepEqual(result, { kind: "unavailable", retryAfterMs: 5000 });
});

test("two sends are the same by every field of their contacts, and by their files' names, types and contents", async () => {
  const of = async (contact: object, files?: readonly UploadedFile[]) =>
    (await acceptMail(storedAnswer.answer, contact, files)).input.idempotencyKey?.fingerprint;
  const same = await of(mail);
  assert.equal(await of({ ...mail, email: " ada@example.com " }, [{ ...file, id: "att_2" }]), same);
  const others = [
    await of({ ...mail, email: "b@example.com" }),
    await of({ ...mail, subject: "x" }),
    await of({ ...mail, message: "x" }),
    await of({ ...mail, sender_name: "x" }),
    await of({ ...mail, reply_to_email: "b@example.com" }),
    await of({ ...mail, gateway_identifier: "mail" }),
    await of({ ...mail, schedule_at: "2030-01-01 00:00:00" }),
    await of(mail, []),
    await of(mail, [file, file]),
    await of(mail, [{ ...file, filename: "b.pdf" }]),
    await of(mail, [{ ...file, content_type: "text/plain" }]),
    await of(mail, [{ ...file, sha256: "01" }]),
  ];
  assert.equal(new Set([same, ...others]).size, others.length + 1);
});
