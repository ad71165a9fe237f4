// Webhooks must not be a way into our own network: a forbidden host is refused when it is saved, in every spelling,
// and when a name leads to one at the time of posting. Inside, a real listener waits that must not see a connection.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { updateWebhook, upsertWebhook, webhookInput } from "#configure/webhook.ts";
import { createManagementToken } from "#identity/management-token.ts";
import { forbiddenAddress, readAllowList } from "#runtime/net/address.ts";
import type { ResolvedAddress } from "#runtime/net/connect.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import type { Outbound, OutboundResult } from "#runtime/runtime.ts";
import { listDeliveries } from "#store/webhooks/delivery-log.ts";
import { listEndpoints } from "#store/webhooks/endpoints.ts";
import { openUrl } from "#webhooks/endpoint-url.ts";
import { type Harness, harness } from "../harness.ts";
import { inject } from "../inject.ts";
import { forbiddenHosts, forbiddenIpv4 } from "../runtime/forbidden-hosts.ts";
import { answer, openPeer, type Peer } from "../runtime/peer.ts";

const none = readAllowList("");

async function operator(it: Harness): Promise<string> {
  const made = await createManagementToken(it.system.core, {
    name: "tests",
    role: "operator",
    accountId: null,
  });
  return made!.token;
}

/** Other ways to write a URL than by its host. */
function oddUrls(at: string): string[] {
  return [
    `http://user@${at}/`,
    `http://user:pass@example.test/`,
    `http://1.1.1.1:80@${at}/`,
    `http:\\\\${at}\\`,
    `http:/${at}/`,
    `http:${at}/`,
    `HTTP://${at}/`,
    ` http://${at}/ `,
    `\thttp://${at}/`,
    `http://${at}#@1.1.1.1/`,
    "ftp://1.1.1.1/",
    "file:///etc/passwd",
    "gopher://1.1.1.1/",
    "data:text/plain,x",
    "javascript:1",
    "ws://1.1.1.1/",
    "http+unix://%2Frun%2Fdocker.sock/",
    "//127.0.0.1/",
    "127.0.0.1",
    "http://",
  ];
}

describe("saving a webhook endpoint", () => {
  let inside: Peer;
  let it: Harness;
  let account: { id: string };
  let urls: string[];
  before(async () => {
    inside = await openPeer({ onRequest: (socket) => socket.write(answer("inside")) });
    it = await harness();
    account = await it.account();
    const at = (host: string) => [`http://${host}:${inside.port}/?q=1`, `https://${host}:${inside.port}/`];
    urls = [...forbiddenHosts.flatMap(at), ...oddUrls(`127.0.0.1:${inside.port}`)];
  });
  after(async () => {
    await it.close();
    await inside.close();
  });
  const stored = async () =>
    (await it.system.database.run(listEndpoints, account.id)).map((row) =>
      openUrl(it.system.core.sealer, row),
    );

  test("no forbidden host, in no spelling, is taken; nor does a good endpoint get one", async () => {
    assert.ok(urls.length >= 1200);
    const { core } = it.system;
    const good = "https://good.example.test/hook";
    const made = await upsertWebhook(core, account.id, webhookInput.parse({ url: good }));
    assert.ok(made.kind === "saved");
    for (const url of urls) {
      const input = webhookInput.safeParse({ url });
      if (!input.success) {
        // Characters that no name and no address may hold are refused by the schema already.
        assert.deepEqual(
          input.error.issues.map(({ path }) => path),
          [["url"]],
          url,
        );
        continue;
      }
      for (const saved of [
        await upsertWebhook(core, account.id, input.data),
        await updateWebhook(core, account.id, made.id, { url }),
      ]) {
        assert.ok(saved.kind === "invalid", url);
        assert.deepEqual(
          saved.issues.map(({ path }) => path),
          [["url"]],
          url,
        );
      }
    }
    assert.deepEqual(await stored(), [good]);
  });

  test("the management API answers 422, and says which field", async () => {
    const token = await operator(it);
    // One of each kind of spelling is enough here: the rule itself is the same.
    for (const url of urls.filter((_, index) => index % 25 === 0)) {
      const reply = await inject(it.system.app, {
        method: "POST",
        url: `/api/manage/v1/accounts/${account.id}/webhooks`,
        headers: { authorization: `Bearer ${token}` },
        payload: { url },
      });
      assert.equal(reply.statusCode, 422, url);
      assert.deepEqual(Object.keys(reply.json().errors), ["url"], url);
    }
    assert.equal((await stored()).length, 1);
  });

  test("none of this made a request", () => {
    assert.equal(inside.connections(), 0);
    assert.equal(it.requests.length, 0);
  });
});

/** A system that posts through a real way out, and whose time does not move until the posts have ended. */
async function posting(outbound: Outbound) {
  const results: Promise<OutboundResult>[] = [];
  const it = await harness({
    respond: (request) => {
      const result = outbound.request(request);
      results.push(result);
      return result;
    },
  });
  const account = await it.account();
  await it.gateway({ identifier: "sandbox", default: true });
  return {
    it,
    account,
    /** One event for each endpoint. */
    async post(urls: readonly string[]): Promise<void> {
      for (const url of urls) {
        const input = webhookInput.parse({ url, events: ["message.delivered"] });
        const saved = await upsertWebhook(it.system.core, account.id, input);
        assert.equal(saved.kind, "saved", url);
      }
      await it.settle();
      await it.accepted([{ number: "+491512340001", message: "Hi" }]);
      while (results.length < urls.length) await it.settle();
      await Promise.all(results);
      await it.settle();
    },
    results: () => Promise.all(results),
    /** The last try at each endpoint, by its url. */
    async tries(): Promise<Map<string, { status: number | null; reason: string | null }>> {
      const { database } = it.system;
      const tries = new Map();
      for (const row of await database.run(listEndpoints, account.id)) {
        const { id } = row;
        const url = openUrl(it.system.core.sealer, row);
        const whose = { accountId: account.id, endpointId: id };
        const page = { filter: {}, before: null, limit: 10, maxScanned: 10 };
        const found = await database.run(listDeliveries, { ...whose, ...page });
        const [delivery, ...more] = found?.rows ?? [];
        assert.equal(more.length, 0);
        tries.set(url, JSON.parse(delivery?.log ?? "[]").at(-1));
      }
      return tries;
    },
    async close(): Promise<void> {
      await it.close();
      await outbound.close();
    },
  };
}

const forbiddenIpv6 = [
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:a9fe:a9fe",
  "64:ff9b::7f00:1",
  "64:ff9b::169.254.169.254",
  "2002:7f00:1::",
  "::7f00:1",
  "fe80::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
];

test("at use: a name that leads to a forbidden address, alone or beside a public one, is not posted to", async () => {
  const inside = await openPeer({ onRequest: (socket) => socket.write(answer("inside")) });
  const family = (address: string) => (address.includes(":") ? 6 : 4);
  const named = new Map<string, ResolvedAddress[]>();
  for (const [index, address] of [...forbiddenIpv4, ...forbiddenIpv6].entries()) {
    assert.notEqual(forbiddenAddress(address, none), null);
    named.set(`name-${index}.test`, [{ address, family: family(address) }]);
  }
  const open = { address: "203.0.114.1", family: 4 };
  const local = { address: "127.0.0.1", family: 4 };
  assert.equal(forbiddenAddress(open.address, none), null);
  named.set("mixed.test", [open, local]);
  named.set("mixed-backwards.test", [local, open]);
  const outbound = createOutbound({ allow: none, lookup: async (name) => named.get(name) ?? [] });
  const { it, post, results, tries, close } = await posting(outbound);
  const urls = [...named.keys()].map((name) => `http://${name}:${inside.port}/hook`);
  await post(urls);
  for (const result of await results())
    assert.ok(result.kind === "not_sent" && result.code === "url_not_allowed", JSON.stringify(result));
  const tried = await tries();
  assert.deepEqual([...tried.keys()].sort(), [...urls].sort());
  for (const [url, { status, reason }] of tried) {
    assert.equal(status, null, url);
    assert.match(reason ?? "", /resolves to .*TRUNKLINE_OUTBOUND_ALLOW can let it through/, url);
    // No caller reads our internal DNS through the log.
    for (const [{ address }] of [...named.values()] as [ResolvedAddress][])
      assert.ok(address.length < 4 || !reason?.includes(address), reason ?? "");
  }
  assert.equal(it.requests.length, urls.length);
  await close();
  assert.equal(inside.connections(), 0);
  await inside.close();
});

test("a name that leads nowhere at first, and inside when its event is tried again, is not posted to", async () => {
  const inside = await openPeer({ onRequest: (socket) => socket.write(answer("inside")) });
  // First it does not resolve at all, so that the delivery is tried again.
  const answers: ResolvedAddress[][] = [[], [{ address: "127.0.0.1", family: 4 }]];
  let asked = 0;
  const outbound = createOutbound({
    allow: none,
    lookup: async () => answers[Math.min(asked++, answers.length - 1)] ?? [],
  });
  const { it, post, results, close } = await posting(outbound);
  await post([`http://rebound.test:${inside.port}/`]);
  while ((await results()).length < 2) await it.advance(1000);
  const [first, second] = await results();
  assert.ok(first?.kind === "not_sent" && first.code === "unreachable", JSON.stringify(first));
  assert.ok(second?.kind === "not_sent" && second.code === "url_not_allowed", JSON.stringify(second));
  await close();
  assert.equal(inside.connections(), 0);
  await inside.close();
});

test("an endpoint that redirects inside reaches no server there, and its delivery has failed", async () => {
  const inside = await openPeer({ onRequest: (socket) => socket.write(answer("inside")) });
  const statuses = [301, 302, 303, 307, 308];
  const fronts = await Promise.all(
    statuses.map((status) =>
      openPeer({
        onRequest: (socket) =>
          socket.write(
            answer("moved", `${status} Moved`, `Location: http://127.0.0.1:${inside.port}/`, "Refresh: 0"),
          ),
      }),
    ),
  );
  const outbound = createOutbound({
    allow: readAllowList("127.0.0.0/8"),
    lookup: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  const { post, tries, close } = await posting(outbound);
  // By name: what saves them allows no address of ours.
  await post(fronts.map(({ port }, index) => `http://front-${index}.test:${port}/`));
  assert.deepEqual([...(await tries()).values()].map(({ status }) => status).sort(), statuses);
  for (const { reason } of (await tries()).values()) assert.match(reason ?? "", /redirects are not followed/);
  await close();
  for (const front of fronts) {
    assert.equal(front.connections(), 1);
    await front.close();
  }
  assert.equal(inside.connections(), 0);
  await inside.close();
});
