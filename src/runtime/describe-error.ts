// Describes errors of sockets, TLS, DNS and undici in reasons that customers and operators read. The error's own message is never used:
// messages contain addresses, header text and pieces of bodies.

const descriptions: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ETIMEDOUT: "connecting timed out",
  UND_ERR_HEADERS_TIMEOUT: "no answer came in time",
  UND_ERR_CONNECT_TIMEOUT: "connecting timed out",
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
  UND_ERR_INVALID_ARG: "the request has a header that HTTP does not allow",
  UND_ERR_DESTROYED: "the service is stopping",
  UND_ERR_CLOSED: "the service is stopping",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was cut off",
};

const unknown = "the connection failed";

/** A clause without a full stop. An unknown error is described by its code, if that looks like one. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return unknown;
  // By name: undici 8.12 leaves the code of its parser's errors undefined.
  if (error.name === "HTTPParserError") {
    return error.message.includes("EOF") ? "the answer was cut off" : "the answer is not valid HTTP";
  }
  const code = "code" in error ? error.code : undefined;
  if (typeof code !== "string" || !/^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return unknown;
  return descriptions[code] ?? `${unknown} (${code})`;
}
