// The reply to a creation.

/** A 201 with the path of the new resource, which may be read there. */
export function created<Body extends object>(location: string, body: Body) {
  return { status: 201 as const, headers: { Location: location }, body };
}
