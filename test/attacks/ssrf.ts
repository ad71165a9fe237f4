// URLs and hosts that lead inside, in every setting that takes one: refused when saved, or never connected to. The
// connections are counted by real listeners on every address of this machine.

import { createServer, type Server } from "node:net";
import { forbiddenHosts, forbiddenIpv4, spellings } from "../runtime/forbidden-hosts.ts";
import { isLinux } from "./addresses.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { bearer, secrets } from "./installation.ts";

const family = "ssrf";

interface Inside {
  port: number;
  connections(): number;
  close(): Promise<void>;
}

/** One port on all addresses of this machine. */
async function openInside(): Promise<Inside> {
  let count = 0;
  const listen = (host: string, port: number) =>
    new Promise<Server | null>((resolve) => {
      const server = createServer((socket) => {
        count += 1;
        socket.on("error", () => {}).destroy();
      });
      server.once("error", () => resolve(null));
      server.listen({ host, port, ipv6Only: host === "::" }, () => resolve(server));
    });
  const first = (await listen("0.0.0.0", 0))!;
  const address = first.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const second = await listen("::", port);
  return {
    port,
    connections: () => count,
    close: async () => {
      first.close();
      second?.close();
    },
  };
}

/** What the URL standard makes of the text, where that is no forbidden address: a name, or a public address. */
const namesByStandard = (host: string) => {
  const url = URL.parse(`http://${host}/`);
  return url !== null && /[g-z]/i.test(url.hostname) && !/localhost\.?$/.test(url.hostname);
};

const literals: Attack = {
  family,
  name: "forbidden addresses in every spelling, in every setting",
  expected: "422 when saved; 0 connections inside",
  short: isLinux,
  async run(stage, size) {
    const it = tally();
    const inside = await openInside();
    const few = ["127.0.0.1", "169.254.169.254", "10.0.0.1"].flatMap((ip) => spellings(ip));
    const hosts =
      size === "whole"
        ? forbiddenHosts
        : [...few, ...forbiddenIpv4, "[::1]", "[fd00:ec2::254]", "localhost", "a.localhost."];
    const at = `/api/manage/v1/accounts/${stage.ours.id}`;
    const pool = (await stage.manage("GET", `/accounts/${stage.ours.id}/pools`)).data.find(
      ({ name }: { name: string }) => name === "echo",
    ).id;
    let made = 0;
    const saved: { label: string; remove: string; try?: string }[] = [];
    const settings: Record<string, (host: string) => [path: string, body: object]> = {
      webhook: (host) => [`${at}/webhooks`, { url: `http://${host}:${inside.port}/x${made}`, events: ["*"] }],
      "webhook with a login": (host) => [
        `${at}/webhooks`,
        { url: `http://a:b@${host}:${inside.port}/x${made}`, events: ["*"] },
      ],
      "webhook over https": (host) => [
        `${at}/webhooks`,
        { url: `https://${host}:${inside.port}/x${made}`, events: ["*"] },
      ],
      "http-api": (host) => [
        `${at}/gateways`,
        {
          identifier: `ssrf-${made}`,
          channel: "sms",
          kind: "http-api",
          settings: {
            url: `http://${host}:${inside.port}/`,
            body: { to: "{{to}}", text: "{{message}}" },
            timeout_ms: 2000,
          },
        },
      ],
      twilio: (host) => [
        `${at}/gateways`,
        {
          identifier: `ssrf-${made}`,
          channel: "sms",
          kind: "twilio",
          settings: {
            account_sid: `AC${"0".repeat(32)}`,
            auth_token: "x".repeat(32),
            from: "+15005550006",
            base_url: `http://${host}:${inside.port}`,
          },
        },
      ],
      smtp: (host) => [
        `${at}/gateways`,
        {
          identifier: `ssrf-${made}`,
          channel: "email",
          kind: "smtp",
          settings: {
            host: host.replace(/^\[|\]$/g, ""),
            port: inside.port,
            security: "none",
            from: "a@ours.test",
            timeout_ms: 2000,
          },
        },
      ],
      provider: (host) => [
        `${at}/pools/${pool}/members`,
        {
          name: `ssrf-${made}`,
          kind: "openai-compatible",
          models: [`ssrf-${made}`],
          settings: { base_url: `http://${host}:${inside.port}/v1` },
          timeouts: { connect_ms: 2000, headers_ms: 2000 },
        },
      ],
    };
    for (const [kind, of] of Object.entries(settings)) {
      if (kind === "webhook with a login") continue;
      made += 1;
      const [path, body] = of("example.com");
      const { status, text } = await stage.ask({ path, body, headers: bearer(secrets.operator) });
      if (status !== 201) it.fault(`the control, a public name in ${kind}: ${status} ${text.slice(0, 200)}`);
    }
    const asks = hosts.flatMap((host) => Object.entries(settings).map(([kind, of]) => ({ host, kind, of })));
    try {
      await spread(asks.length, 4, async (index) => {
        const { host, kind, of } = asks[index]!;
        made += 1;
        const number = made;
        const [path, body] = of(host);
        const { status, text } = await stage.ask({ path, body, headers: bearer(secrets.operator) });
        // What is a name for the URL standard may be saved: it is judged when it resolves.
        const fault = status !== 422 && !(status === 201 && namesByStandard(host)) && kind !== "smtp";
        it.add(
          `${kind} ${status}`,
          fault && `${kind} ${JSON.stringify(host)}: ${status} ${text.slice(0, 120)}`,
        );
        if (status !== 201) return;
        const id = JSON.parse(text).data.id as string;
        if (kind.startsWith("webhook"))
          saved.push({ label: kind, remove: `${at}/webhooks/${id}`, try: `${at}/webhooks/${id}/test` });
        else if (kind === "provider")
          saved.push({ label: kind, remove: `${at}/pools/${pool}/members/${id}` });
        else
          saved.push({
            label: kind,
            remove: `${at}/gateways/ssrf-${number}`,
            try: `${at}/gateways/ssrf-${number}/test`,
          });
      });
      for (const { try: path, label } of saved) {
        if (path === undefined) continue;
        const to = label === "smtp" ? "a@example.com" : "+15550000001";
        await stage.ask({
          path,
          method: "POST",
          headers: bearer(secrets.operator),
          ...(label.startsWith("webhook") ? {} : { body: { to } }),
          timeoutMs: 15_000,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, saved.length > 0 ? 2_000 : 200));
      if (inside.connections() > 0) it.fault(`${inside.connections()} connections inside`);
    } finally {
      await inside.close();
    }
    return it;
  },
};

export const ssrfAttacks: readonly Attack[] = [literals];
