// The AI half of the search for secrets.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fails, openaiPeer } from "../../http/openai-peer.ts";
import { planted } from "./planted.ts";
import type { Story } from "./story.ts";

const tokenSeconds = 600;

/** A token endpoint that says what it was sent: it refuses every other request, and grants a token to the rest. */
async function tokenPeer() {
  let asked = 0;
  const server = createServer(async (request, response) => {
    const form = (await request.toArray()).join("");
    asked += 1;
    const secret = new URLSearchParams(form).get("client_secret");
    const refused = {
      error: secret,
      error_description: `Invalid client secret provided: ${secret}, in ${form}`,
    };
    const granted = { access_token: planted.memberAccessToken, expires_in: tokenSeconds, note: form };
    response
      .writeHead(asked % 2 ? 401 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(asked % 2 ? refused : granted));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    asked: () => asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A pool whose provider says what it was sent in every error, and callers with the right key and with wrong ones. */
export async function askModels({ it, ask, manage, known, evidence }: Story): Promise<void> {
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
  const tokens = await tokenPeer();
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
    // A member behind access tokens, whose vendor and token endpoint repeat what they get.
    const entra = {
      base_url: peer.url,
      vendor: "azure-openai",
      tenant_id: "tenant.test",
      client_id: "00000000-1111-2222-3333-444444444444",
      client_secret: planted.memberClientSecret,
      token_url: tokens.url,
    };
    idOf(
      await manage("POST", `${acme}/pools/${pool}/members`, {
        name: "behind-tokens",
        kind: "openai-compatible",
        models: ["m"],
        priority: 1,
        settings: entra,
      }),
    );
    assert.equal(await change({ headers: {} }), 200);
    assert.equal((await manage("PATCH", path, { active: false })).statusCode, 200);
    const before = peer.asked.length;
    for (let i = 0; i < 2 * statuses.length; i++) {
      assert.ok((await call(planted.poolKey)) >= 400);
      // The token is over, and the member is asked again.
      await it.advance(1_000 * tokenSeconds);
    }
    const checked = await manage("POST", `${acme}/pools/${pool}/members/check`, {
      kind: "openai-compatible",
      settings: entra,
    });
    assert.equal(checked.statusCode, 200, checked.body);
    assert.ok(tokens.asked() > 1);
    evidence.inputs.push(planted.memberAccessToken);
    const bearers = peer.asked.slice(before).map(({ headers }) => headers.authorization);
    assert.ok(bearers.includes(`Bearer ${planted.memberAccessToken}`), "the token was granted and sent");
  } finally {
    await peer.close();
    await tokens.close();
  }
}
