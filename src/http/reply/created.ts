// The reply to a creation.

/** A 201 with the path of the new resource, which may be read there. */
export function created<Data extends object>(location: string, message: string, data: Data) {
  return {
    status: 201 as const,
    headers: { Location: location },
    body: { success: true as const, message, data },
  };
}
