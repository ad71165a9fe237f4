// AWS Signature Version 4 of a request
// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). The signature
// covers exact bytes: the caller sends exactly the URL, headers and body that it passes in here.

import { createHash, createHmac } from "node:crypto";

export interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  /** As in credential scopes: `ses`. */
  service: string;
  /** For temporary credentials; absent for permanent ones. */
  sessionToken?: string | undefined;
}

interface Signable {
  method: string;
  url: string;
  /** Lower-case names; all of them are signed. `host` and `x-amz-date` are added. */
  headers: Record<string, string>;
  body: string | Uint8Array;
}

const algorithm = "AWS4-HMAC-SHA256";

/** The headers with `x-amz-date`, `authorization` and the session's token, for a request made at `now` (epoch ms; AWS allows 5 minutes). */
export function signedHeaders(request: Signable, key: AwsKey, now: number): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const headers = {
    ...request.headers,
    "x-amz-date": time,
    ...(key.sessionToken === undefined ? {} : { "x-amz-security-token": key.sessionToken }),
  };
  const signed = { ...headers, host: new URL(request.url).host };
  const names = Object.keys(signed).sort().join(";");
  const scope = `${time.slice(0, 8)}/${key.region}/${key.service}/aws4_request`;
  const text = [algorithm, time, scope, sha256(canonicalRequest(request, signed, names))].join("\n");
  const derived = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`);
  const signature = createHmac("sha256", derived).update(text).digest("hex");
  const credential = `${key.accessKeyId}/${scope}`;
  const authorization = `${algorithm} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

function canonicalRequest(
  { method, url, body }: Signable,
  headers: Readonly<Record<string, string>>,
  names: string,
): string {
  const { pathname, searchParams } = new URL(url);
  const path = pathname.split("/").map(encoded).join("/");
  const query = [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
  const lines = names.split(";").map((name) => `${name}:${headers[name]!.trim().replace(/ +/g, " ")}\n`);
  return [method, path, query, lines.join(""), names, sha256(body)].join("\n");
}

/** RFC 3986: everything except letters, digits and `-._~`. The path of a URL is already encoded once, and so twice here. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}
