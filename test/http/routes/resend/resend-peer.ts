// Resend's own package in a test, pointed at a harness by its variable alone, and requests without the package.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Resend } from "resend";
import type { Harness } from "../../../harness.ts";
import { type Injected, type InjectOptions, inject } from "../../../inject.ts";

export const emailsPath = "/api/resend/emails";

/** The package's client for an API key, against the listening app of a harness. */
export async function packageClient(it: Harness, apiKey: string): Promise<Resend> {
  const { server } = it.system.app;
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const { RESEND_BASE_URL: before } = process.env;
  process.env.RESEND_BASE_URL = `http://127.0.0.1:${port}/api/resend`;
  try {
    return new Resend(apiKey);
  } finally {
    if (before === undefined) delete process.env.RESEND_BASE_URL;
    else process.env.RESEND_BASE_URL = before;
  }
}

/** A request with an API key; `payload`: an object is sent as JSON. */
export const askResend = (it: Harness, key: string, options: InjectOptions): Promise<Injected> =>
  inject(it.system.app, {
    url: emailsPath,
    ...options,
    headers: { authorization: `Bearer ${key}`, ...options.headers },
  });

export const postEmail = (
  it: Harness,
  key: string,
  payload: object,
  headers: Record<string, string> = {},
): Promise<Injected> => askResend(it, key, { method: "POST", payload, headers });
