// The error of every unsuccessful call.

/** What Trunkline answered instead of a success, or why no answer came. It never contains the API key. */
export class TrunklineError extends Error {
  override readonly name = "TrunklineError";
  /** The HTTP status; null if no answer came. */
  readonly status: number | null;
  /**
   * The `code` of the answer (docs/reference/errors.md); null if the answer has none. Without an answer it is `network` or `timeout`, and
   * `unreadable` for an answer that is not Trunkline's.
   */
  readonly code: string | null;
  /** For a 422: the messages by the path of the field (`contact.0.number`). */
  readonly errors: Readonly<Record<string, readonly string[]>> | null;
  /** `X-Request-Id` of the answer: quote it when you ask the operator. */
  readonly requestId: string | null;
  /** For a send: the idempotency key of its attempts. Repeating the same send with it within 24 hours sends nothing twice. */
  readonly idempotencyKey: string | null;

  constructor(
    message: string,
    facts: {
      status: number | null;
      code: string | null;
      errors?: Readonly<Record<string, readonly string[]>> | null;
      requestId?: string | null;
      idempotencyKey?: string | null;
      cause?: unknown;
    },
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.errors = facts.errors ?? null;
    this.requestId = facts.requestId ?? null;
    this.idempotencyKey = facts.idempotencyKey ?? null;
  }
}
