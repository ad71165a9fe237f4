// Gateways whose messages are fetched by a device that asks for them, instead of being sent by the process that owns their lane.

const kinds: ReadonlySet<string> = new Set(["android"]);

/** Whether messages of gateways of this kind wait until a device fetches them. Their lanes have no owner. */
export const isPulled = (kind: string): boolean => kinds.has(kind);
