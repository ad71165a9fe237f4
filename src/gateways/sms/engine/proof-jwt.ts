// JSON Web Tokens with which vendors authenticate their callbacks (RFC 7519): signed with a shared secret, and carrying digests of what
// they cover, or the event itself.

import { createHash, createHmac } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import { type Json, parseJson, parseUnverified, textAt } from "#gateways/json-path.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { forbidden, notConfigured, type Proof, type Secret } from "./proof.ts";

const hashes = new Map([
  ["HS256", "sha256"],
  ["HS384", "sha384"],
  ["HS512", "sha512"],
]);

/** Clocks differ, and some vendors issue a token only once a minute. */
const clockSkewSeconds = 300;

export interface JwtRules<Settings> {
  secret: Secret<Settings>;
  named: string;
  /** Header names in lower case; a Bearer scheme before the token is skipped. */
  header: string;
  /** Default: only HS256. */
  algorithms?: readonly string[];
  issuer?: string;
  /** The claim with the SHA-256 of the body in hex. */
  payloadHash?: string;
  /** The claim with the SHA-256 of the URL in hex, as it was configured with the vendor. */
  urlHash?: string;
  /** The claims are the event. */
  claimsAreEvent?: boolean;
  /** Without `exp`: how old `iat` may be, seconds. */
  maxAgeSeconds?: number;
  /** The result for a call without a token: `unavailable` if the vendor repeats it with one. */
  unsigned?: "forbidden" | "unavailable";
}

/** Throws for rules by which a token would cover nothing that can be read. */
export function jwt<Settings>(rules: JwtRules<Settings>): Proof<Settings> {
  const { algorithms = ["HS256"], unsigned = "forbidden" } = rules;
  if (rules.payloadHash === undefined && !rules.claimsAreEvent) {
    throw new Error("A token has to carry the event or a digest of the body.");
  }
  const covers = rules.urlHash === undefined ? "body" : "call";
  return (callback, settings, { clock }) => {
    const secret = rules.secret(settings) ?? "";
    if (secret === "") return notConfigured(rules.named);
    const token = /^(?:bearer +)?(\S+)$/i.exec(callback.headers[rules.header] ?? "")?.[1];
    if (token === undefined) return { kind: unsigned, reason: `The ${rules.header} header has no token.` };
    const claims = verifiedClaims(token, secret, algorithms);
    if (claims === null) return forbidden("The token's signature does not fit.");
    const problem = claimProblem(claims, callback, rules, Math.floor(clock.now() / 1000));
    if (problem !== null) return forbidden(problem);
    return rules.claimsAreEvent ? { kind: "proved", document: claims } : { kind: "proved", covers };
  };
}

/** The claims of a token that this secret signed with one of the algorithms. Null for any other text. */
function verifiedClaims(token: string, secret: string, algorithms: readonly string[]): Json | null {
  const [head = "", body = "", signature = "", ...rest] = token.split(".");
  if (token.length > 16_384 || rest.length > 0) return null;
  const name = textAt(parseUnverified(Buffer.from(head, "base64url")) ?? null, "$.alg") ?? "";
  const hash = hashes.get(name);
  if (hash === undefined || !algorithms.includes(name)) return null;
  const expected = createHmac(hash, secret).update(`${head}.${body}`).digest("base64url");
  return constantTimeEqual(signature, expected) ? (parseJson(Buffer.from(body, "base64url")) ?? null) : null;
}

function claimProblem<Settings>(
  claims: Json,
  callback: CallbackRequest,
  { issuer, payloadHash, urlHash, maxAgeSeconds }: JwtRules<Settings>,
  now: number,
): string | null {
  const seconds = (name: string) => Number(textAt(claims, `$.${name}`) ?? Number.NaN);
  if (issuer !== undefined && textAt(claims, "$.iss") !== issuer) return "The token is of another issuer.";
  if (seconds("exp") < now - clockSkewSeconds) return "The token has expired.";
  if (seconds("nbf") > now + clockSkewSeconds) return "The token is not valid yet.";
  if (maxAgeSeconds !== undefined && !(Math.abs(now - seconds("iat")) <= maxAgeSeconds))
    return "The token is too old.";
  if (urlHash !== undefined && !isDigestOf(textAt(claims, `$.${urlHash}`), callback.url))
    return "The token is for another URL.";
  if (payloadHash === undefined) return null;
  const digest = textAt(claims, `$.${payloadHash}`);
  // A call without a body has no digest of it.
  if (digest === null && callback.body.length === 0) return null;
  return isDigestOf(digest, callback.body) ? null : "The token is for another body.";
}

function isDigestOf(digest: string | null, content: string | Buffer): boolean {
  return (
    digest !== null &&
    constantTimeEqual(digest.toLowerCase(), createHash("sha256").update(content).digest("hex"))
  );
}
