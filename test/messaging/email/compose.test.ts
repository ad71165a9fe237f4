// What a stored mail becomes: both parts where there should be, and what the gateway's settings add.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EmailSettings } from "#gateways/email/settings.ts";
import { type ComposeDeps, composeEmail, storedEmail } from "#messaging/email/compose.ts";
import type { Database } from "#store/database.ts";
import type { ComposableEmail } from "#store/email/emails.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";

const sealer = createSealer("a master key that is only used in tests", seededRandom());

const quiet: EmailSettings = {
  from: "news@shop.test",
  tracking: { opens: false, clicks: false },
  unsubscribe: false,
};

async function composed(
  body: string,
  settings: EmailSettings = quiet,
  change: Partial<ComposableEmail> = {},
) {
  const mail: ComposableEmail = {
    id: "msg_1",
    account_id: "acc_1",
    request_id: "req_1",
    body,
    recipient: "jane@example.test",
    subject: "Hello",
    sender_name: "The Shop",
    reply_to: null,
    extras: null,
    text_part: null,
    ...change,
  };
  const deps: ComposeDeps = {
    database: { run: async (_: unknown, id: unknown) => (id === "msg_1" ? mail : null) } as never as Database,
    mailFiles: { forRequest: async () => files },
    sealer,
    publicUrl: "https://t.test",
  };
  const stored = await storedEmail(deps, "msg_1");
  assert.equal(await storedEmail(deps, "msg_2"), null);
  return { email: composeEmail(deps, stored!, settings), bytes: stored!.bytes };
}

const files = [1, 3000].map((size) => ({
  filename: "f",
  contentType: "text/plain",
  size,
  sha256: `${size}`,
  content: () => Promise.reject(new Error("read too early")),
}));

describe("a mail", () => {
  it("is measured before its files are read: its body as bytes, its files in base64", async () => {
    assert.equal((await composed("Grüße")).bytes, 7 + 4 + 4000);
  });

  it("has an address for answers in ASCII, which every provider takes", async () => {
    const { email } = await composed("Hi", quiet, { reply_to: "info@bücher.test" });
    assert.deepEqual(email.replyTo, [{ name: null, address: "info@xn--bcher-kva.test" }]);
  });

  it("of half a mebibyte of text stays text, tracked or not", async () => {
    const tracking = { opens: true, clicks: true };
    const long = "x".repeat(512 * 1024);
    assert.notEqual((await composed(long, { ...quiet, tracking })).email.html, null);
    assert.equal((await composed(`${long}x`, { ...quiet, tracking })).email.html, null);
  });

  it("of HTML gets a text part", async () => {
    const { email } = await composed("<p>Hi <b>there</b></p>");
    assert.equal(email.html, "<p>Hi <b>there</b></p>");
    assert.equal(email.text, "Hi there");
  });

  it("of text stays text", async () => {
    const { email } = await composed("a < b\nJoe <joe@x.test>");
    assert.equal(email.html, null);
    assert.equal(email.text, "a < b\nJoe <joe@x.test>");
  });

  it("of text gets an HTML part where its opening or its links are asked about", async () => {
    for (const [tracking, link] of [
      [{ opens: true, clicks: false }, /<a href="https:\/\/x\.test\/">https:\/\/x\.test\/<\/a>/],
      [{ opens: false, clicks: true }, /<a href="https:\/\/t\.test\/t\/c\/[\w-]+">https:\/\/x\.test\/<\/a>/],
    ] as const) {
      const { email } = await composed("see https://x.test/", { ...quiet, tracking });
      assert.match(email.html ?? "", link);
      assert.equal(email.text, "see https://x.test/");
    }
  });

  it("carries what its gateway's settings add, and what its sender said", async () => {
    const settings = {
      ...quiet,
      tracking: { opens: true, clicks: false },
      unsubscribe: true,
      return_path_domain: "b.shop.test",
    };
    const { email } = await composed("<p>Hi</p>", settings);
    assert.match(email.html ?? "", /^<p>Hi<\/p><img src="https:\/\/t\.test\//);
    assert.deepEqual(
      email.headers.map(([name]) => name),
      ["List-Unsubscribe", "List-Unsubscribe-Post"],
    );
    assert.match(email.returnPath ?? "", /@b\.shop\.test$/);
    assert.equal(email.senderName, "The Shop");
    assert.equal(email.subject, "Hello");
    const plain = await composed("<p>Hi</p>");
    assert.deepEqual([plain.email.headers, plain.email.returnPath], [[], null]);
  });

  it("is the same at each attempt, many bodies later as well", async () => {
    const first = await composed("<p>number 0</p>");
    for (let at = 1; at < 20; at++) await composed(`<p>number ${at}</p>`);
    assert.deepEqual((await composed("<p>number 0</p>")).email, first.email);
  });
});
