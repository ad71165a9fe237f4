// The AI half of the search for secrets.

import assert from "node:assert/strict";
import { fails, openaiPeer } from "../http/openai-peer.ts";
import { planted } from "./26-secrets-planted.ts";
import type { Story } from "./26-secrets-story.ts";

/** A pool whose provider says what it was sent in every error, and callers with the right key and with wrong ones. */
export async function askModels({ it, ask, manage, known }: Story): Promise<void> {
  const acme = `/accounts/${known.get("acme")}`;
  const idOf = (reply: { body: string; json(): { data?: { id: string } } }) => {
    const { data } = reply.json();
    assert.ok(data, reply.body);
    return data.id;
  };
  const statuses = [401, 400, 500, 429, 404];
  let answers = 0;
  const peer = await openaiPeer((request) => {
    const { authorization, "x-extra": extra } = request.headers;
    const message = `Incorrect key ${authorization?.slice("Bearer ".length)}, with ${extra}`;
    fails(statuses[answers++ % statuses.length]!, { message, code: authorization, echo: request.headers })(
      request,
    );
  });
  try {
    const pool = idOf(await manage("POST", `${acme}/pools`, { name: "models" }));
    const settings = {
      base_url: peer.url,
      api_key: planted.memberKey,
      headers: { "x-extra": planted.memberHeader },
    };
    const member = { name: "vendor", kind: "openai-compatible", models: ["m"], settings };
    const made = idOf(await manage("POST", `${acme}/pools/${pool}/members`, member));
    const path = `${acme}/pools/${pool}/members/${made}`;
    const change = async (settings: object) => (await manage("PATCH", path, { settings })).statusCode;
    assert.equal(await change({ api_key: planted.replacedMemberKey }), 200);
    assert.equal(await change({ api_key: planted.memberKey }), 200);
    const bad = planted.refusedMemberSetting;
    for (const faulty of [{ vendor: bad }, { api_key: [bad] }, { base_url: `https://u:${bad}@h.test` }])
      assert.equal(await change(faulty), 422);
    const keyed = await manage("POST", `${acme}/pools/${pool}/keys`, { name: "app", key: planted.poolKey });
    known.set("pool", pool).set("member", made).set("key", idOf(keyed));
    const call = async (bearer: string, query = "") => {
      const reply = ask({
        method: "POST",
        url: `/api/ai/v1/chat/completions${query}`,
        headers: { authorization: `Bearer ${bearer}` },
        payload: { messages: [{ role: "user", content: "Hello" }] },
      });
      // Another try may have to wait.
      await it.advance(60_000);
      return (await reply).statusCode;
    };
    for (let i = 0; i < 2 * statuses.length; i++) assert.ok((await call(planted.poolKey)) >= 400);
    assert.ok(peer.asked.length >= statuses.length, "every error was met");
    const calls = (await manage("GET", `${acme}/pools/${pool}/calls`)).json().data as { id: string }[];
    assert.ok(calls.length > 0, "a failed call is kept too");
    known.set("call", calls[0]!.id);
    assert.equal(await call(planted.wrongPoolKey), 401);
    assert.equal(await call("x", `?api_key=${planted.poolKeyInQuery}`), 401);
  } finally {
    await peer.close();
  }
}
