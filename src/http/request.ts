// Parts of a request's head that several readers need.

import type { IncomingMessage } from "node:http";

/** The query of a request's URL. */
export function queryOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? "";
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at + 1));
}
