// The settings of the HTTP edge.

import type { RetentionPolicy } from "#maintenance/removals.ts";

export interface HttpSettings {
  /** `https://…` without a trailing slash, or null. */
  publicUrl: string | null;
  maxContacts: number;
  maxBodyBytes: number;
  /** Longest multipart body with files. */
  maxUploadBytes: number;
  /** Most bytes that are read before the key: of a body with its key inside, or of what precedes it in a form. */
  maxKeylessBodyBytes: number;
  /** The memory that all bodies share. */
  maxBodiesBytes: number;
  /** Open connections; one more is closed at once. */
  maxConnections: number;
  /** How many devices may be linked. */
  linkedDevices: { inAll: number; ofAccount: number };
  /** CIDR blocks and addresses of proxies whose `X-Forwarded-*` is trusted. */
  trustedProxies: readonly string[];
  metricsToken: string | null;
  /** CIDR blocks that outbound requests may reach although they are not public, as they were configured. */
  outboundAllow: readonly string[];
  retention: RetentionPolicy;
  /** Whether each request has a line in the log. */
  logRequests: boolean;
  /** Of requests that were answered 2xx, one in this many has a line. */
  logSuccessEvery: number;
  /** The folder of the built dashboard; null if it is switched off. */
  dashboardFolder: string | null;
}
