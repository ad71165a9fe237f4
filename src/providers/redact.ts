// Masks the secrets of one member's settings in the failures that its vendor reports. `scrub.ts` recognizes keys by their form; this file
// compares with the secrets themselves.

import { mapPieces } from "#providers/translate/stream-reader.ts";
import { oncePer } from "#runtime/once-per.ts";
import { withoutSecrets } from "#settings/redact.ts";
import type { ApiError, Failure, Provider, StreamPiece, StreamReader } from "./provider.ts";

/** The provider, with `secrets` masked in every failure. Answers are passed on unchanged. */
export function redactSecrets(provider: Provider, secrets: readonly string[]): Provider {
  if (secrets.length === 0) return provider;
  const mask = (text: string | null) => (text === null ? null : withoutSecrets(text, secrets));
  const redacted = (failure: Failure): Failure => {
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
  const withRedaction = <Result extends { kind: string }>(
    result: Result | { kind: "failure"; failure: Failure },
  ) => ("failure" in result ? { ...result, failure: redacted(result.failure) } : result);
  const redactedReader = (reader: StreamReader): StreamReader => {
    const redactPiece = (piece: StreamPiece): StreamPiece =>
      piece.kind === "failure" ? withRedaction(piece) : piece;
    return mapPieces(reader, (pieces) =>
      pieces.some(({ kind }) => kind === "failure") ? pieces.map(redactPiece) : pieces,
    );
  };
  return {
    ...provider,
    answer: (text, request) => withRedaction(provider.answer(text, request)),
    embeddingsAnswer: (text, request) => withRedaction(provider.embeddingsAnswer(text, request)),
    forwardAnswer: (operation, answer) => withRedaction(provider.forwardAnswer(operation, answer)),
    // Also before parsing: a message that is cut to its maximum length may be cut inside a secret.
    failure: (status, headers, text, now) =>
      redacted(provider.failure(status, headers, withoutSecrets(text, secrets), now)),
    stream: (request) => redactedReader(provider.stream(request)),
    toolsApi: oncePer((settings: object) => {
      const api = provider.toolsApi(settings);
      return (
        api && {
          ...api,
          answer: (text, request) => withRedaction(api.answer(text, request)),
          stream: (request) => redactedReader(api.stream(request)),
          failure: (status, headers, text, now) =>
            redacted(api.failure(status, headers, withoutSecrets(text, secrets), now)),
        }
      );
    }),
    native: (format, settings, model) => {
      const api = provider.native(format, settings, model);
      return (
        api && {
          ...api,
          answer: (text) => withRedaction(api.answer(text)),
          stream: () => redactedReader(api.stream()),
        }
      );
    },
  };
}
