// The contract's own defaults: what a definition that says nothing gets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import type { ContentKind } from "#contract/messages/content.ts";
import { emailSender } from "#gateways/email/settings.ts";
import { defineGateway } from "#gateways/gateway.ts";
import type { EmailContent, TextContent } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField } from "#settings/url.ts";
import { sampleMessage, sendOnce, toolsWith } from "./conformance-samples.ts";

const plain = defineGateway({
  kind: "plain",
  channels: ["sms"],
  contents: ["text"],
  title: "Plain",
  summary: "A gateway that says nothing about itself.",
  settings: z.strictObject({ key: secret() }),
  send: async (_message, own) => ({ kind: "accepted", reference: own.key }),
});

test("a definition without more holds what is unknown, is no test and takes no callbacks", async () => {
  assert.equal(plain.onUnknown, "hold");
  assert.equal(plain.test, false);
  assert.equal(plain.receives, false);
  assert.deepEqual(plain.urls({ key: "k" }), []);
  assert.equal(plain.timeoutMs({ key: "k" }), 30_000);
  assert.equal(plain.mail, undefined);
  const callback = {
    method: "POST",
    url: "",
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.alloc(0),
  };
  assert.equal((await plain.receive(callback, { key: "k" }, toolsWith())).kind, "not_taken");
  assert.deepEqual(await sendOnce(plain, sampleMessage(), { key: "k" }, toolsWith()), {
    kind: "accepted",
    reference: "k",
  });
});

test("an adapter with URLs has the field that decides them, and one without has none", () => {
  const urls = () => ["https://api.example.com/"];
  const settings = z.strictObject({ base_url: baseUrlField() });
  const send = async (): Promise<Outcome> => ({ kind: "accepted", reference: null });
  const gateway = (change: object) =>
    defineGateway({
      kind: "a",
      channels: ["sms"],
      contents: ["text"],
      title: "",
      summary: "",
      settings,
      send,
      ...change,
    });
  assert.throws(() => gateway({}), /Gateway kind a: `urls` and the field that decides them go together/);
  assert.throws(() => gateway({ urls, settings: z.strictObject({}) }), /go together/);
  assert.deepEqual(gateway({ urls }).urls({}), urls());
});

/** Compiles only when both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sameType = <A, B>(_same: Same<A, B>) => {};

const mail = {
  sender: () => emailSender({ from: "", tracking: { opens: false, clicks: false }, unsubscribe: false }),
};

test("an adapter is given the contents that it declares, by its types", () => {
  const head = { title: "T", summary: "S.", settings: z.strictObject({}) };
  const outcome: Outcome = { kind: "accepted", reference: null };
  const texts = defineGateway({
    ...head,
    kind: "texts",
    channels: ["sms"],
    contents: ["text"],
    async send({ content }) {
      sameType<typeof content, TextContent>(true);
      return outcome;
    },
  });
  defineGateway({
    ...head,
    kind: "mails",
    channels: ["email"],
    contents: ["email"],
    mail,
    async send({ content }) {
      sameType<typeof content, EmailContent>(true);
      return outcome;
    },
  });
  const both = defineGateway({
    ...head,
    kind: "both",
    channels: ["sms", "email"],
    contents: ["text", "email"],
    mail,
    async send({ content }) {
      sameType<typeof content, TextContent | EmailContent>(true);
      return outcome;
    },
  });
  assert.deepEqual([texts.contents, both.contents], [["text"], ["text", "email"]]);
});

test("an adapter says who mails are from exactly when it sends email, by its types", () => {
  const head = { kind: "k", channels: ["email"], title: "T", summary: "S.", settings: z.strictObject({}) };
  const mute = { ...head, send: async (): Promise<Outcome> => ({ kind: "accepted", reference: null }) };
  const named = { ...mute, mail };
  type Accepts<Kind extends ContentKind, Rest> = Rest & {
    channels: ["email"];
    contents: Kind[];
  } extends Parameters<typeof defineGateway<typeof head.settings, Kind>>[0]
    ? true
    : false;
  sameType<Accepts<"email", typeof named>, true>(true);
  sameType<Accepts<"email", typeof mute>, false>(true);
  sameType<Accepts<"text", typeof mute>, true>(true);
  sameType<Accepts<"text", typeof named>, false>(true);
  sameType<Accepts<"text" | "email", typeof mute>, false>(true);
  assert.ok(!("mail" in mute) && "mail" in named);
});

test("a secret is never empty, and stays flagged when it is described or narrowed", () => {
  assert.equal(secret().safeParse("").success, false);
  for (const field of [secret(), secret().describe("A key."), secret().min(8).describe("A key.")]) {
    assert.deepEqual({ ...field.meta(), description: undefined }, { secret: true, description: undefined });
  }
});
