// How requests of SMS vendors authenticate the account.

import { createHmac } from "node:crypto";
import { type AwsKey, signedHeaders } from "#settings/aws-signature.ts";
import type { Draft } from "./request.ts";

/** Authenticates requests of one account. */
export interface Auth {
  /** All headers of the request. `now`: epoch ms; `transmission` is different for each request. */
  headers(draft: Draft, moment: { now: number; transmission: string }): Record<string, string>;
  /** The secrets in the encodings that requests use, if these differ from the settings. */
  secrets: readonly string[];
}

/** A header that is the same in every request. */
export function header(name: string, value: string, secrets: readonly string[] = []): Auth {
  return { headers: (draft) => ({ ...draft.headers, [name]: value }), secrets };
}

export const bearer = (token: string): Auth => header("authorization", `Bearer ${token}`);

/** HTTP Basic (RFC 7617). */
export function basic(user: string, password: string): Auth {
  const pair = Buffer.from(`${user}:${password}`).toString("base64");
  return header("authorization", `Basic ${pair}`, [pair]);
}

/** AWS Signature Version 4. */
export function sigV4(key: AwsKey): Auth {
  return {
    headers: ({ method, url, headers, body = "" }, { now }) =>
      signedHeaders({ method, url, headers, body }, key, now),
    secrets: [],
  };
}

/**
 * The MAC scheme of draft-ietf-oauth-v2-http-mac-02 with HMAC-SHA256, over method, path, host and port; `ext` is empty.
 * The body is not covered.
 */
export function mac(id: string, key: string): Auth {
  return {
    headers: ({ method, url, headers }, { now, transmission: nonce }) => {
      const { hostname, port, protocol, pathname, search } = new URL(url);
      const time = String(Math.floor(now / 1000));
      const hostPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
      const text = [time, nonce, method, `${pathname}${search}`, hostname, hostPort, "", ""].join("\n");
      const proof = createHmac("sha256", key).update(text).digest("base64");
      const authorization = `MAC id="${id}", ts="${time}", nonce="${nonce}", mac="${proof}"`;
      return { ...headers, authorization };
    },
    secrets: [],
  };
}
