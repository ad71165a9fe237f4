// Gateways whose lane no process drives: a device asks for the messages, or other gateways send them.

const kinds: ReadonlySet<string> = new Set(["android", "spread"]);

/** Whether no process owns the lane of a gateway of this kind. */
export const isUndriven = (kind: string): boolean => kinds.has(kind);
