// Masks a member's secrets in the failures that its provider reports. `scrub.ts` recognises keys by their form; this
// file knows the member's actual secrets, whatever their form.

import { withoutSecrets } from "#runtime/text.ts";
import type { ApiError, Failure, Provider, StreamPiece } from "./provider.ts";

/** The provider, with `secrets` masked in every failure. Answers are passed on unchanged. */
export function redactSecrets(provider: Provider, secrets: readonly string[]): Provider {
  if (secrets.length === 0) return provider;
  const mask = (text: string | null) => (text === null ? null : withoutSecrets(text, secrets));
  const masked = (failure: Failure): Failure => {
    const { message, type, param, code } = failure.error;
    const error: ApiError = {
      message: withoutSecrets(message, secrets),
      type: withoutSecrets(type, secrets),
      param: mask(param),
      code: mask(code),
    };
    const detail = mask(failure.detail ?? null);
    return detail === null ? { ...failure, error } : { ...failure, error, detail };
  };
  const withMaskedFailure = <Read extends { kind: string }>(
    read: Read | { kind: "failure"; failure: Failure },
  ) => ("failure" in read ? { ...read, failure: masked(read.failure) } : read);
  return {
    ...provider,
    answer: (text, request) => withMaskedFailure(provider.answer(text, request)),
    embeddingsAnswer: (text, request) => withMaskedFailure(provider.embeddingsAnswer(text, request)),
    // Also masked before parsing: truncating a message may cut a secret in two.
    failure: (status, headers, text, now) =>
      masked(provider.failure(status, headers, withoutSecrets(text, secrets), now)),
    stream: (request) => {
      const reader = provider.stream(request);
      const maskPiece = (piece: StreamPiece): StreamPiece =>
        piece.kind === "failure" ? withMaskedFailure(piece) : piece;
      return {
        push: (event) => {
          const pieces = reader.push(event);
          return pieces.some(({ kind }) => kind === "failure") ? pieces.map(maskPiece) : pieces;
        },
        ...(reader.missing ? { missing: () => reader.missing!() } : {}),
      };
    },
  };
}
