// Shared code of APIs whose requests are forwarded to members that have them and never translated.

import type { ApiRequest } from "./api-request.ts";

/** `path`: the path that the member lacks, as clients know it. */
export const untranslated = (path: string, isWhole: boolean) =>
  ({
    parameters: null,
    optional: new Set<string>(),
    passedOn: { path, isWhole },
    leftOut: () => [],
    chat: () => ({
      kind: "unsupported_parameter",
      param: "model",
      message: `This member has no \`${path}\`, which is not translated.`,
    }),
  }) as const satisfies Partial<ApiRequest>;
