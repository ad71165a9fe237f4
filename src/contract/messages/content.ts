// What a message consists of. Gateways differ in what they can send, within one channel too. No zod here: the storage
// threads load this file.

/** `text`: a text alone. `email`: a mail with its subject, its parts and its files. */
export const contentKinds = ["text", "email"] as const;
export type ContentKind = (typeof contentKinds)[number];
