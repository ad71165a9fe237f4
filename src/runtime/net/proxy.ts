// Connections through a proxy: HTTP CONNECT (over plain TCP or TLS), or SOCKS 5. The proxy resolves the server's name. The proxy's own
// address is checked like that of any server.

import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { type ConnectCallback, type Connector, type ConnectTarget, secureThrough } from "./connect.ts";
import { HttpClient, type HttpClientOptions } from "./http/client.ts";
import { askSocks } from "./socks.ts";
import { bareHost } from "./url.ts";

const defaultPorts: Record<string, number> = { "http:": 80, "https:": 443, "socks5:": 1080 };
const tunnelMs = 10_000;

/** The host of a proxy, without brackets, and its port. `proxy`: `http`, `https` or `socks5`, with its login if it has one. */
export function proxyServer(proxy: URL): { host: string; port: number } {
  return { host: bareHost(proxy.hostname), port: Number(proxy.port) || (defaultPorts[proxy.protocol] ?? 80) };
}

/** Keeps the connections through proxies, by proxy. `options`: those of connections without a proxy, with their guarded connector. */
export class ProxyClients {
  readonly #options: HttpClientOptions;
  readonly #clients = new Map<string, HttpClient>();

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /** `proxy`: its URL. */
  of(proxy: string): HttpClient {
    const known = this.#clients.get(proxy);
    if (known !== undefined) return known;
    const connector = throughProxy(new URL(proxy), this.#options.connector);
    const client = new HttpClient({ ...this.#options, connector });
    this.#clients.set(proxy, client);
    return client;
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}

/** The socket to the server, when the proxy has connected it. */
type OpenTunnel = (socket: Socket, target: { host: string; port: number }, callback: ConnectCallback) => void;

function throughProxy(proxy: URL, connector: Connector): Connector {
  const { host, port } = proxyServer(proxy);
  const isSocks = proxy.protocol === "socks5:";
  const name = decodeURIComponent(proxy.username);
  const password = decodeURIComponent(proxy.password);
  const open: OpenTunnel = isSocks
    ? (socket, target, callback) => askSocks(socket, { name, password }, target, tunnelMs, callback)
    : (socket, target, callback) => askHttp(socket, `${name}:${password}`, target, callback);
  return {
    connect({ protocol, hostname, port: targetPort }, callback) {
      const isSecure = protocol === "https:";
      const server = { host: hostname, port: Number(targetPort) || (isSecure ? 443 : 80) };
      const proxyTarget: ConnectTarget = {
        protocol: proxy.protocol === "https:" ? "https:" : "http:",
        hostname: host,
        port: String(port),
      };
      connector.connect(proxyTarget, (error, socket) => {
        if (socket === null) return callback(error ?? new Error("no connection to the proxy"), null);
        open(socket, server, (failure, tunnel) => {
          if (tunnel === null) callback(failure, null);
          else if (isSecure) secureThrough(tunnel, hostname, callback);
          else callback(null, tunnel);
        });
      });
    },
    abandon: () => connector.abandon(),
  };
}

function askHttp(
  socket: Socket,
  login: string,
  { host, port }: { host: string; port: number },
  callback: ConnectCallback,
): void {
  const server = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const authorization =
    login === ":" ? {} : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
  const asked = httpRequest({
    method: "CONNECT",
    path: server,
    headers: { host: server, ...authorization },
    createConnection: () => socket,
    timeout: tunnelMs,
  });
  asked.once("timeout", () => asked.destroy(new Error("the proxy gave no answer")));
  asked.once("error", (failure) => callback(failure, null));
  asked.once("connect", ({ statusCode = 0 }, tunnel: Socket, early: Buffer) => {
    tunnel.setTimeout(0);
    // The server speaks only after a request.
    if (statusCode === 200 && early.length === 0) return callback(null, tunnel);
    tunnel.destroy();
    const reason =
      statusCode === 200 ? "the proxy sent more than its answer" : `the proxy answered ${statusCode}`;
    callback(new Error(reason), null);
  });
  asked.end();
}
