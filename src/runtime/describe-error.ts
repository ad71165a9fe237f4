// Describes errors of sockets, TLS, DNS and HTTP in reasons that customers and operators read. The error's own message is never used:
// messages contain addresses, header text and pieces of bodies.

import { HttpError, type HttpErrorKind } from "./net/http/http-error.ts";

const descriptions: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "connecting timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ENOTFOUND: "the name does not resolve",
  EAI_AGAIN: "DNS did not answer",
  ERR_SSL_WRONG_VERSION_NUMBER: "the port does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the port does not speak TLS",
  EPROTO: "TLS failed",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate cannot be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

const httpDescriptions: Readonly<Record<HttpErrorKind, string>> = {
  closed: "the connection was closed",
  cut: "the answer was cut off",
  invalid: "the answer is not valid HTTP",
  long_head: "the answer's headers are too long",
  bad_request: "the request has a header that HTTP does not allow",
  connect_timeout: "connecting timed out",
  silent: "no answer came in time",
  stopping: "the service is stopping",
};

const unknown = "the connection failed";

/** A clause without a full stop. An unknown error is described by its code, if that looks like one. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return unknown;
  if (error instanceof HttpError) return httpDescriptions[error.kind];
  const code = "code" in error ? error.code : undefined;
  if (typeof code !== "string" || !/^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return unknown;
  return descriptions[code] ?? `${unknown} (${code})`;
}
