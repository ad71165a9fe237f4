// The story of a tracked mail: sent with a pixel, followed links and a way out; opened, followed, complained about and
// unsubscribed from; and what its account hears of all that.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { EmailRecord } from "#contract/messages/record.ts";
import { callbackToken, called, event, serverToken } from "../gateways/email/postmark/postmark-example.ts";
import { type Harness, harness, someEngines } from "../harness.ts";
import { inject } from "../inject.ts";
import { answer } from "./provider.ts";
import { hook, listen, posts, says } from "./receiver.ts";

interface Outgoing {
  To: string;
  HtmlBody: string;
  Headers: { Name: string; Value: string }[];
}

const html = '<html><body><p>Hi</p><a href="https://shop.test/?a=1&amp;b=2">Shop</a></body></html>';
const reader = { "user-agent": "Thunderbird" };

for (const engine of someEngines(import.meta.filename)) {
  describe(`a tracked mail on ${engine}`, () => {
    let it: Harness;
    const sent: Outgoing[] = [];

    before(async () => {
      it = await harness({
        engine,
        respond: (request) => {
          if (request.url === hook) return says(204);
          sent.push(JSON.parse(String(request.body)) as Outgoing);
          return answer(200, { ErrorCode: 0, MessageID: `p-${sent.length}`, Message: "OK" });
        },
      });
      const { id } = await it.account();
      await it.gateway({
        identifier: "mail",
        channel: "email",
        kind: "postmark",
        default: true,
        settings: {
          from: "news@example.com",
          server_token: serverToken,
          callback_token: callbackToken,
          tracking: { opens: true, clicks: true },
          unsubscribe: true,
        },
      });
      await listen(it, id, { events: ["message.opened", "message.clicked", "message.complained"] });
    });
    after(() => it?.close());

    async function send(email: string): Promise<{ id: string; mail: Outgoing }> {
      const before = sent.length;
      const reply = await it.post("/api/email/send", {
        contact: [{ email, subject: "Hello", message: html }],
      });
      assert.equal(reply.statusCode, 200, reply.body);
      await it.settle();
      const { id } = reply.json().data.contact[0];
      assert.equal(sent.length, before + 1);
      return { id, mail: sent[before]! };
    }

    async function record(id: string): Promise<EmailRecord> {
      const reply = await it.get(`/api/get/email/${id}`);
      assert.equal(reply.statusCode, 200);
      return reply.json().data;
    }

    /** Visits a URL of ours as it is in a mail. */
    async function visit(
      url: string,
      options: { method?: "GET" | "POST"; headers?: Record<string, string> } = {},
    ) {
      const { pathname } = new URL(url);
      const { method = "GET", headers = reader } = options;
      const reply = await inject(it.system.app, { method, url: pathname, headers });
      await it.settle();
      return reply;
    }

    const linksOf = ({ HtmlBody }: Outgoing) => ({
      pixel: /<img src="([^"]+)"/.exec(HtmlBody)?.[1] ?? assert.fail("no pixel"),
      link: /<a href="([^"]+)"/.exec(HtmlBody)?.[1] ?? assert.fail("no link"),
    });
    const types = async (id: string) => (await record(id)).events?.map(({ type }) => type);

    test("it is opened and followed, and its account hears of it", async () => {
      const { id, mail } = await send("Ann@Example.com");
      const { pixel, link } = linksOf(mail);
      assert.ok(!mail.HtmlBody.includes("shop.test"));
      // A server has a look while it takes the mail in.
      await visit(pixel);
      assert.deepEqual([(await record(id)).opened_at, (await record(id)).open_count], [null, 0]);
      await it.advance(60_000);
      await visit(pixel, { headers: { "user-agent": "GoogleImageProxy" } });
      await visit(pixel);
      const at = new Date(it.clock.now()).toISOString();
      assert.deepEqual([(await record(id)).opened_at, (await record(id)).open_count], [at, 1]);
      const followed = await visit(link);
      assert.deepEqual([followed.statusCode, followed.headers.location], [302, "https://shop.test/?a=1&b=2"]);
      assert.deepEqual(await types(id), [
        "queued",
        "sending",
        "sent",
        "opened",
        "opened",
        "opened",
        "clicked",
      ]);
      await it.settle();
      const events = posts(it).map(
        ({ type, data }) => [type, data as object as Record<string, unknown>] as const,
      );
      assert.deepEqual(
        events.map(([type, { engagement }]) => [type, (engagement as { machine: boolean }).machine]),
        [
          ["message.opened", true],
          ["message.opened", true],
          ["message.opened", false],
          ["message.clicked", false],
        ],
      );
      assert.deepEqual(
        events.map(([, data]) => [data.id, data.open_count, data.opened_at]),
        [
          [id, 0, null],
          [id, 0, null],
          [id, 1, at],
          [id, 1, at],
        ],
      );
      const [, last] = events[3] ?? assert.fail("too few events");
      assert.equal((last.engagement as { url: string }).url, "https://shop.test/?a=1&b=2");
    });

    test("its way out is two headers, which one click acts on, and nothing goes there any more", async () => {
      const { id, mail } = await send("Leaving@Example.com");
      const headers = new Map(mail.Headers.map(({ Name, Value }) => [Name, Value]));
      assert.equal(headers.get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
      const url =
        /^<(https:\/\/trunkline\.test\/u\/[\w-]+)>$/.exec(headers.get("List-Unsubscribe") ?? "")?.[1] ?? "";
      assert.equal((await visit(url)).statusCode, 200);
      assert.deepEqual(await types(id), ["queued", "sending", "sent"]);
      assert.equal((await visit(url, { method: "POST" })).statusCode, 200);
      assert.deepEqual(await types(id), ["queued", "sending", "sent", "unsubscribed"]);
      const before = sent.length;
      const reply = await it.post("/api/email/send", {
        contact: [{ email: "LEAVING@example.com", subject: "Again", message: "Hi" }],
      });
      await it.settle();
      assert.equal(sent.length, before);
      assert.equal((await record(reply.json().data.contact[0].id)).status, "suppressed");
    });

    test("what the provider tells is stored once", async () => {
      const { id } = await send("spam@example.com");
      const body = called(
        event("SpamComplaint", "BouncedAt", { MessageID: `p-${sent.length}`, Metadata: {} }),
      );
      for (let i = 0; i < 2; i++) {
        const reply = await inject(it.system.app, {
          method: "POST",
          url: `/callbacks/mail?token=${callbackToken}`,
          headers: body.headers,
          payload: body.body,
        });
        assert.equal(reply.statusCode, 200);
        await it.settle();
      }
      assert.deepEqual(await types(id), ["queued", "sending", "sent", "complained"]);
      assert.deepEqual(
        posts(it)
          .filter(({ type }) => type === "message.complained")
          .map(({ data }) => data.id),
        [id],
      );
    });
  });
}
