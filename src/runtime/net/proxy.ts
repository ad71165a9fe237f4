// Connections through a proxy: HTTP CONNECT (over plain TCP or TLS), or SOCKS 5. The proxy resolves the server's name. The proxy's own
// address is checked like that of any server.

import { request as httpRequest } from "node:http";
import { Agent, buildConnector, type Dispatcher, Socks5ProxyAgent } from "undici";
import type { Connector } from "./connect.ts";
import { bareHost } from "./url.ts";

const defaultPorts: Record<string, number> = { "http:": 80, "https:": 443, "socks5:": 1080 };
const tunnelMs = 10_000;

/** The host of a proxy, without brackets, and its port. `proxy`: `http`, `https` or `socks5`, with its login if it has one. */
export function proxyServer(proxy: URL): { host: string; port: number } {
  return { host: bareHost(proxy.hostname), port: Number(proxy.port) || (defaultPorts[proxy.protocol] ?? 80) };
}

/** Keeps the connections through proxies, by proxy. `connector`: a guarded one. `options`: those of connections without a proxy. */
export class ProxyAgents {
  readonly #connector: Connector;
  readonly #options: Agent.Options;
  readonly #agents = new Map<string, Dispatcher>();

  constructor(connector: Connector, options: Agent.Options) {
    this.#connector = connector;
    this.#options = options;
  }

  /** `proxy`: its URL. */
  of(proxy: string): Dispatcher {
    const known = this.#agents.get(proxy);
    if (known !== undefined) return known;
    const url = new URL(proxy);
    const agent = url.protocol === "socks5:" ? this.#socks(url) : this.#tunnel(url);
    this.#agents.set(proxy, agent);
    return agent;
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }

  #socks(url: URL): Dispatcher {
    const { connect } = this.#connector;
    // Set explicitly, as in `connect.ts`.
    const requestTls = { rejectUnauthorized: true, ALPNProtocols: ["http/1.1"] };
    return new Socks5ProxyAgent(url, { connect, requestTls });
  }

  #tunnel(url: URL): Dispatcher {
    return new Agent({ ...this.#options, connect: tunnelThrough(url, this.#connector) });
  }
}

function tunnelThrough(proxy: URL, connector: Connector): buildConnector.connector {
  const { host, port } = proxyServer(proxy);
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    login === ":" ? {} : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
  const secure = buildConnector({ allowH2: false, timeout: tunnelMs, rejectUnauthorized: true });
  return (options, callback) => {
    const target = { hostname: host, host, protocol: proxy.protocol, port: String(port) };
    connector.connect(target, (error, socket) => {
      if (socket === null) return callback(error ?? new Error("no connection to the proxy"), null);
      const isSecure = options.protocol === "https:";
      const server = `${options.hostname}:${options.port || (isSecure ? 443 : 80)}`;
      const asked = httpRequest({
        method: "CONNECT",
        path: server,
        headers: { host: server, ...authorization },
        createConnection: () => socket,
        timeout: tunnelMs,
      });
      asked.once("timeout", () => asked.destroy(new Error("the proxy gave no answer")));
      asked.once("error", (failure) => callback(failure, null));
      asked.once("connect", ({ statusCode = 0 }, tunnel) => {
        tunnel.setTimeout(0);
        if (statusCode === 200)
          return isSecure ? secure({ ...options, httpSocket: socket }, callback) : callback(null, socket);
        tunnel.destroy();
        callback(new Error(`the proxy answered ${statusCode}`), null);
      });
      asked.end();
    });
  };
}
