// Google's clients may send the key in the URL, as `?key=`. However the call ends, and however the key is written, no log
// line, no reply and no metric has it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inject } from "../../inject.ts";
import { fails, openaiPeer, type Peer, says } from "../openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../pooled.ts";

let peer: Peer;
let it: Pooled;
before(async () => {
  peer = await openaiPeer();
  it = await pooled({ members: [memberOf(peer)] });
});
after(async () => {
  await it?.close();
  await peer?.close();
});

/** A text that is in no key but those of this test. */
const mark = "5ec4e7babe";
const marked = new RegExp(mark, "i");
const wrong = `tlp_${mark}0123456789abcdef012345`;

/** Keys as they are written in URLs: right in their form, escaped, broken, and too long. */
const written = {
  "of the right form": wrong,
  escaped: encodeURIComponent(`${mark}+/=&#?ü`),
  "escaped letter by letter": [...wrong].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(""),
  "with a broken escape": `${mark}%zz%`,
  "with bytes that are no UTF-8": `${mark}%ff%fe`,
  "with a line end": `${mark}%0d%0aforged: 1`.replace(" ", "%20"),
  "with a space": `${mark}%20more`,
  "with markup": `${mark}%3Cscript%3E"'`,
  "of two": `${wrong}&key=${wrong}`,
  "too long": mark.repeat(100),
};

const path = "/api/ai/v1beta/models/gpt-4o-mini";
const content = JSON.stringify({ contents: [{ parts: [{ text: "Hello" }] }] });

/** Everything that a reply, the log and the metrics say, as it is and without escapes. */
async function traces(
  url: string,
  method: string,
  body: string | null,
): Promise<{ status: number; output: string }> {
  const reply = await inject(it.it.system.app, {
    method: method as "POST",
    url,
    headers: body === null ? {} : { "content-type": "application/json" },
    ...(body === null ? {} : { payload: body }),
  });
  const metrics = await inject(it.it.system.app, { method: "GET", url: "/metrics" });
  assert.match(metrics.body, /trunkline_/);
  const output = [reply.body, JSON.stringify(reply.headers), metrics.body, it.it.log.text()].join("\n");
  const plain = output.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return { status: reply.statusCode, output: `${output}\n${plain}` };
}

for (const [how, key] of Object.entries(written))
  test(`a wrong key ${how} is nowhere, on each path`, async () => {
    for (const [url, method, body] of [
      [`${path}:generateContent?key=${key}`, "POST", content],
      [`${path}:streamGenerateContent?alt=sse&key=${key}`, "POST", content],
      [`${path}:embedContent?key=${key}`, "POST", "{"],
      [`${path}:noSuchThing?key=${key}`, "POST", content],
      [`${path}:generateContent?key=${key}`, "GET", null],
      [`/api/ai/v1beta/none?key=${key}`, "POST", content],
      [`/api/ai/v1beta/models?key=${key}`, "GET", null],
      // Of other APIs the URL has no key.
      [`/api/ai/v1/chat/completions?key=${key}`, "POST", content],
      [`/nowhere?key=${key}`, "GET", null],
    ] as const) {
      const { status, output } = await traces(url, method, body);
      assert.ok(status >= 400 && status < 500, `${method} ${url}: ${status}`);
      assert.doesNotMatch(output, marked, `${method} ${url}`);
    }
  });

test("a right key is nowhere either: in an answer, an error of its body, a failure of the member, an outage", async () => {
  const key = await it.pool({ name: "marked", members: [memberOf(peer)], keys: [{ name: "k", key: wrong }] });
  assert.equal(key, wrong);
  const url = `${path}:generateContent?key=${key}`;
  const statuses: number[] = [];
  const ask = async (body: string) => {
    const { status, output } = await traces(url, "POST", body);
    assert.doesNotMatch(output, marked);
    statuses.push(status);
  };
  peer.answer(says("Hello."));
  await ask(content);
  await ask('{"contents":');
  await ask('{"contents":[{"parts":[{"unknown":1}]}]}');
  for (const status of [400, 401, 500]) {
    peer.answer(fails(status, { message: "No." }));
    await ask(content);
  }
  assert.deepEqual([statuses[0], statuses.slice(1).filter((status) => status < 400)], [200, []]);
  assert.ok(it.it.log.lines().length > 0, "the failures are in the log");
  assert.ok(peer.asked.every(({ path: asked, headers }) => !marked.test(asked + JSON.stringify(headers))));
});
