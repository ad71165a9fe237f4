// The reply to a creation.

import { isProblem, type Problem } from "#contract/problem.ts";

/** A 201 with the path of the new resource, which may be read there. */
export function created<Body extends object>(location: string, body: Body) {
  return { status: 201 as const, headers: { Location: location }, body };
}

/** The reply that shows a resource as it is now, turned into the reply to its creation. */
export function createdAs<Reply extends { status: 200; body: object }>(
  shown: Reply | Problem,
  locationOf: (body: Reply["body"]) => string,
) {
  return isProblem(shown) ? shown : created(locationOf(shown.body), shown.body as Reply["body"]);
}
