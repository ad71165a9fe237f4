// The database of each release, as that release left it, is opened by these sources: nothing is lost, what was pending goes out
// once, and every key and secret is what it was.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { type Recording, readRecording } from "../../scripts/recording.ts";
import { type Ground, type Harness, harness, someEngines } from "../harness.ts";
import { inject } from "../inject.ts";
import { says } from "../scenarios/receiver.ts";
import { recordedGround } from "./recorded.ts";

const minute = 60_000;
const day = 86_400_000;

const respond = ({ url }: OutboundRequest): OutboundResult => {
  if (url.startsWith("https://sms.example.com/")) return says(200, '{"id":"sms-1"}');
  if (url.startsWith("https://api.postmarkapp.com/"))
    return says(200, '{"ErrorCode":0,"Message":"OK","MessageID":"mail-1","To":"delivered@example.com"}');
  return says(204);
};

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".json.gz"));

test("there is a recording", () => assert.ok(files.includes("0.1.0.json.gz")));

for (const file of files) {
  const recording: Recording = readRecording(new URL(file, import.meta.url));
  const named = (name: string) => {
    const found = recording.messages.find((message) => message.name === name);
    assert.ok(found, name);
    return found.id;
  };
  for (const engine of someEngines(import.meta.filename)) {
    describe(`the database of ${recording.version} on ${engine}`, () => {
      let ground: Ground;
      let it: Harness;
      before(async () => {
        ground = await recordedGround(engine, recording);
        it = await harness({
          ground,
          clock: movableClock(recording.recordedAt + minute),
          settings: { masterKey: recording.masterKey },
          allow: "127.0.0.0/8",
          respond,
        });
        it.as({ id: recording.accountId, key: recording.keys.api });
        await it.settle();
      });
      after(async () => {
        await it?.close();
        await ground.remove();
      });

      const manage = async (path: string, body?: object) => {
        const reply = await inject(it.system.app, {
          method: body === undefined ? "GET" : "POST",
          url: `/api/manage/v1${path}`,
          headers: { authorization: `Bearer ${recording.keys.token}` },
          ...(body === undefined ? {} : { payload: body }),
        });
        assert.ok(reply.statusCode < 300, `${path}: ${reply.body}`);
        return reply.json().data;
      };
      const of = (path: string, body?: object) => manage(`/accounts/recorded${path}`, body);
      const statusOf = async ({ id, channel }: { id: string; channel: string }) =>
        (await it.get(`/api/get/${channel}/${id}`)).json().data.status;
      const sentTo = (host: string) => it.requests.filter(({ url }) => url.includes(host));

      test("has every message as it was, and sends none while its gateway is paused", async () => {
        for (const message of recording.messages)
          assert.equal(await statusOf(message), message.status, message.name);
        assert.equal(it.requests.length, 0);
      });

      test("knows every key, token and password", async () => {
        const { api, named, pool } = recording.keys;
        for (const key of [api, named]) {
          const listed = await inject(it.system.app, { url: "/api/get/sms", headers: { "api-key": key } });
          assert.equal(listed.statusCode, 200);
        }
        const signedIn = await inject(it.system.app, {
          method: "POST",
          url: "/api/manage/v1/session",
          payload: recording.user,
        });
        assert.equal(signedIn.statusCode, 200, signedIn.body);
        const [cookie] = signedIn.cookies;
        const revealed = await inject(it.system.app, {
          method: "POST",
          url: "/api/manage/v1/accounts/recorded/api-key/reveal",
          headers: {
            cookie: `${cookie?.name}=${cookie?.value}`,
            "sec-fetch-site": "same-origin",
            "x-csrf-token": signedIn.json().data.csrf_token,
          },
          payload: { password: recording.user.password },
        });
        assert.equal(revealed.json().data?.api_key, api, revealed.body);
        const answer = await inject(it.system.app, {
          method: "POST",
          url: "/api/ai/v1/chat/completions",
          headers: { authorization: `Bearer ${pool}` },
          payload: { model: "echo", messages: [{ role: "user", content: "Hello" }] },
        });
        assert.equal(answer.statusCode, 200, answer.body);
        assert.match(answer.json().choices[0].message.content, /Hello/);
      });

      test("has the calls, the suppressions, the credit and the audit of before", async () => {
        const [pool] = await of("/pools");
        assert.ok((await of(`/pools/${pool.id}/calls`)).length > 0);
        const [suppression] = await of("/suppressions?channel=email");
        assert.equal(suppression.recipient, "gone@example.com");
        assert.ok((await of("/credit/entries?channel=sms")).length > 0);
        assert.ok((await manage("/audit")).length > 0);
      });

      test("sends what was pending once, with its secrets and its files", async () => {
        for (const gateway of ["sms-http", "mail-postmark"]) await of(`/gateways/${gateway}/resume`, {});
        await it.settle();
        await it.advance(day);
        const [sms, ...moreSms] = sentTo("sms.example.com");
        const [mail, ...moreMails] = sentTo("api.postmarkapp.com");
        assert.deepEqual([moreSms.length, moreMails.length], [0, 0]);
        assert.equal(sms?.headers?.authorization, "Bearer recorded-sms-token");
        assert.match(String(sms?.body), /Pending/);
        assert.equal(mail?.headers?.["x-postmark-server-token"], "recorded-mail-token");
        assert.match(String(mail?.body), new RegExp(Buffer.from("The recorded invoice").toString("base64")));
        assert.equal(await statusOf({ id: named("pending"), channel: "sms" }), "sent");
        assert.equal(await statusOf({ id: named("pendingMail"), channel: "email" }), "sent");
      });

      test("keeps what is scheduled until it is due, and posts its delivery to the webhook of before", async () => {
        const scheduled = { id: named("scheduled"), channel: "sms" };
        assert.equal(await statusOf(scheduled), "scheduled");
        assert.equal(sentTo("/hook").length, 0);
        await it.advance(10 * day);
        assert.equal(await statusOf(scheduled), "delivered");
        const [post, ...more] = sentTo("/hook");
        assert.equal(more.length, 0);
        assert.equal(JSON.parse(String(post?.body)).data.id, scheduled.id);
      });
    });
  }
}
