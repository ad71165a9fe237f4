// Headers that say where a request goes and who sends it, sent twice. Node keeps the first; a proxy in front may have
// judged the last, and so another host or caller (RFC 9112, 3.2 wants 400 for two Host headers).

import type { IncomingMessage } from "node:http";

/** Whether the request has two `Host` or two `Authorization` headers. */
export function hasDoubledHeaders({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
    else if (name.length === 13 && name.toLowerCase() === "authorization") authorizations++;
  }
  return hosts > 1 || authorizations > 1;
}
