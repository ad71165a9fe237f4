// What goes wrong between a request and its answer, apart from errors of sockets, TLS and DNS.

/**
 * `closed`: the connection ended before the answer began. `cut`: it ended inside the answer. `invalid`: the answer breaks a rule of HTTP.
 * `long_head`: its headers are too long. `bad_request`: the request has a header that HTTP does not allow. `connect_timeout`: no connection
 * in time. `silent`: no answer in time. `stopping`: the client was closed.
 */
export type HttpErrorKind =
  | "closed"
  | "cut"
  | "invalid"
  | "long_head"
  | "bad_request"
  | "connect_timeout"
  | "silent"
  | "stopping";

/** The message says which rule was broken, and quotes nothing of what was sent. */
export class HttpError extends Error {
  readonly kind: HttpErrorKind;
  constructor(kind: HttpErrorKind, rule: string) {
    super(rule);
    this.kind = kind;
  }
}

export const invalid = (rule: string): HttpError => new HttpError("invalid", rule);
