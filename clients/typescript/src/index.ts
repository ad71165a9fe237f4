// What the package exports.

export { createTrunkline, type EmailFile, type ListOptions, type Trunkline } from "./client.ts";
export { TrunklineError } from "./error.ts";
export type { CallOptions, ClientOptions, SendOptions } from "./request.ts";
export type * from "./types.ts";
export {
  type VerifiedEvent,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./webhook.ts";
