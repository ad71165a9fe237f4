// The credentials with which an access token is requested: a service account's key, which signs an assertion (RFC 7523), or an
// application's secret (RFC 6749, 4.4). Source: developers.google.com/identity/protocols/oauth2/service-account and
// learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow

import { createPrivateKey, sign } from "node:crypto";

/** How to obtain an access token. It contains secrets: only its URL may appear in logs and errors. */
export interface TokenGrant {
  /** The token endpoint, which receives the secrets. */
  url: string;
  /** The operator of the endpoint, for people to read. */
  issuer: string;
  scope: string;
  proof: ServiceAccountKey | ApplicationSecret;
}

/** The key of a Google service account. */
interface ServiceAccountKey {
  email: string;
  /** PEM. */
  privateKey: string;
  keyId: string | null;
  /** The audience of the assertion, even if a proxy is called. */
  audience: string;
}

/** The secret of an application in Entra ID. */
interface ApplicationSecret {
  clientId: string;
  clientSecret: string;
}

/** The part of the grant that stays secret. */
export const secretOf = ({ proof }: TokenGrant): string =>
  "clientSecret" in proof ? proof.clientSecret : proof.privateKey;

/** Lifetime of a signed assertion, s: the maximum that Google accepts. */
const statementS = 3600;

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The assertion with its signature (RS256). `now`: epoch ms. */
function signedStatement(
  { email, privateKey, keyId, audience }: ServiceAccountKey,
  scope: string,
  now: number,
) {
  const at = Math.floor(now / 1000);
  const head = encoded({ alg: "RS256", typ: "JWT", ...(keyId === null ? {} : { kid: keyId }) });
  const claims = encoded({ iss: email, scope, aud: audience, iat: at, exp: at + statementS });
  const signature = sign("RSA-SHA256", Buffer.from(`${head}.${claims}`), createPrivateKey(privateKey));
  return `${head}.${claims}.${signature.toString("base64url")}`;
}

/** The token request at `now`, epoch ms. The secrets are only in its body. */
export function tokenRequest({ url, scope, proof }: TokenGrant, now: number) {
  const form =
    "clientSecret" in proof
      ? {
          grant_type: "client_credentials",
          client_id: proof.clientId,
          client_secret: proof.clientSecret,
          scope,
        }
      : {
          grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
          assertion: signedStatement(proof, scope, now),
        };
  return {
    method: "POST" as const,
    url,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams(form).toString(),
  };
}
