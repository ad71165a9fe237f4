// A provider as one member has it: what its vendor says of a failure never shows the secrets of that member's
// settings. `scrub.ts` knows keys by their look; this knows them by heart, whatever they look like.

import { withoutSecrets } from "#settings/redact.ts";
import type { ApiError, Failure, Provider, StreamPiece } from "./provider.ts";

/** The provider, with `secrets` masked in every failure that it reads. Answers are passed on as they are. */
export function redactSecrets(provider: Provider, secrets: readonly string[]): Provider {
  if (secrets.length === 0) return provider;
  const hide = (text: string | null) => (text === null ? null : withoutSecrets(text, secrets));
  const hidden = (failure: Failure): Failure => {
    const { message, type, param, code } = failure.error;
    const error: ApiError = {
      message: withoutSecrets(message, secrets),
      type: withoutSecrets(type, secrets),
      param: hide(param),
      code: hide(code),
    };
    const detail = hide(failure.detail ?? null);
    return detail === null ? { ...failure, error } : { ...failure, error, detail };
  };
  const told = <Read extends { kind: string }>(read: Read | { kind: "failure"; failure: Failure }) =>
    "failure" in read ? { ...read, failure: hidden(read.failure) } : read;
  return {
    ...provider,
    answer: (text, request) => told(provider.answer(text, request)),
    embeddingsAnswer: (text, request) => told(provider.embeddingsAnswer(text, request)),
    // Before it is read too: a message that is cut to its length may be cut in the middle of a secret.
    failure: (status, headers, text, now) =>
      hidden(provider.failure(status, headers, withoutSecrets(text, secrets), now)),
    stream: (request) => {
      const reader = provider.stream(request);
      const shown = (piece: StreamPiece): StreamPiece => (piece.kind === "failure" ? told(piece) : piece);
      return {
        push: (event) => {
          const pieces = reader.push(event);
          return pieces.some(({ kind }) => kind === "failure") ? pieces.map(shown) : pieces;
        },
        ...(reader.missing ? { missing: () => reader.missing!() } : {}),
      };
    },
  };
}
