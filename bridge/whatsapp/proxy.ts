// A device's connection to WhatsApp through a proxy: an agent for its connection, and the library's downloads over the same agent. The
// process of such a device can connect only to its proxy (`runtime/children/sandboxed-child`), so a connection that bypasses it fails.

import type { EventEmitter } from "node:events";
import type { Agent, ClientRequest } from "node:http";
import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import { Readable } from "node:stream";

/** Typed loosely: the packages are not installed where the sources are type-checked. */
const packages = { http: "https-proxy-agent", socks: "socks-proxy-agent" };

/** `proxy`: a URL with `http`, `https` or `socks5`. Rejects if the package is not installed. */
export async function agentFor(proxy: string): Promise<Agent> {
  type Agents = Record<string, new (proxy: string) => Agent>;
  if (!proxy.startsWith("socks5:")) {
    const { HttpsProxyAgent } = (await import(packages.http)) as Agents;
    const agent = new HttpsProxyAgent!(proxy) as Agent & EventEmitter;
    // Otherwise the refusal would be read as the server's answer, and the library would keep waiting.
    agent.on("proxyConnect", ({ statusCode }: { statusCode: number }, request: ClientRequest) => {
      if (statusCode !== 200) request.destroy(new Error(`The proxy answered ${statusCode}.`));
    });
    return agent;
  }
  const { SocksProxyAgent } = (await import(packages.socks)) as Agents;
  // For `socks5`, the package would resolve the server's name here.
  return new SocksProxyAgent!(proxy.replace(/^socks5:/, "socks5h:"));
}

/**
 * The `fetch` of the library, which only downloads: redirects are not followed. Devices may have different logins at one proxy, so each
 * passes its own agent as the `dispatcher`.
 */
export const proxiedFetch: typeof fetch = async (input, init) => {
  const { dispatcher: agent, method = "GET", headers, signal } = (init ?? {}) as unknown as Download;
  if (method !== "GET" || agent === undefined)
    throw new TypeError("Only downloads of a device go through its proxy.");
  const url = new URL(input instanceof Request ? input.url : input);
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const options = { agent, headers: Object.fromEntries(new Headers(headers)), ...(signal && { signal }) };
  const get = url.protocol === "https:" ? httpsGet : httpGet;
  get(url, options, (answer) => {
    const status = answer.statusCode ?? 500;
    const body = [204, 205, 304].includes(status)
      ? null
      : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
    resolve(new Response(body, { status }));
  }).once("error", reject);
  return await promise;
};

type Download = Omit<RequestInit, "dispatcher"> & { dispatcher?: Agent };
