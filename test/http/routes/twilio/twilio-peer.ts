// Twilio's own package in a test: pointed at a harness by the HTTP client that docs/from/twilio.md shows, and a receiver of its callbacks.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import twilio from "twilio";
import type { Harness } from "../../../harness.ts";
import { type Injected, inject } from "../../../inject.ts";

const { RequestClient } = twilio;

/** What the few lines of the page do: Twilio's packages have no setting for the address. */
function redirectedClient(base: string) {
  const client = new RequestClient();
  const send = client.request.bind(client);
  client.request = (options) =>
    send({ ...options, uri: options.uri.replace("https://api.twilio.com", base) });
  return client;
}

export const accountSid = "AC00000000000000000000000000000001";

/** The package's client for an API key, against the listening app of a harness. */
export async function packageClient(it: Harness, apiKey: string) {
  const { server } = it.system.app;
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const httpClient = redirectedClient(`http://127.0.0.1:${port}/api/twilio`);
  return twilio(accountSid, apiKey, { httpClient });
}

export const basic = (password: string, user = accountSid) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

export const messagesPath = `/api/twilio/2010-04-01/Accounts/${accountSid}/Messages.json`;
export const messagePath = (sid: string) =>
  `/api/twilio/2010-04-01/Accounts/${accountSid}/Messages/${sid}.json`;

/** Posts a form with an API key. A list of pairs may repeat a name. */
export const postForm = (
  it: Harness,
  key: string,
  fields: Record<string, string> | [string, string][],
  { path = messagesPath, headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Injected> =>
  inject(it.system.app, {
    method: "POST",
    url: path,
    headers: { ...basic(key), "content-type": "application/x-www-form-urlencoded", ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

export const getTwilio = (it: Harness, key: string, path: string): Promise<Injected> =>
  inject(it.system.app, { method: "GET", url: path, headers: basic(key) });

/** A callback as it was posted. */
export interface Posted {
  url: string;
  signature: string;
  form: Record<string, string>;
}

/** The callbacks among the outbound requests of a harness. */
export const callbacks = (it: Harness): Posted[] =>
  it.requests.flatMap(({ url, headers = {}, body }) => {
    const signature = headers["x-twilio-signature"];
    if (signature === undefined) return [];
    return [{ url, signature, form: Object.fromEntries(new URLSearchParams(String(body))) }];
  });
