// The settings of the HTTP edge.

import type { RetentionPolicy } from "#maintenance/removals.ts";

export interface HttpSettings {
  /** `https://…` without a trailing slash, or null. */
  publicUrl: string | null;
  maxContacts: number;
  maxBodyBytes: number;
  /** Maximum size of a multipart body with files. */
  maxUploadBytes: number;
  /** Maximum number of bytes read before the key: of a body that contains its key, or of what precedes it in a form. */
  maxKeylessBodyBytes: number;
  /** The memory that all bodies share. */
  maxBodiesBytes: number;
  /** Maximum number of open connections; further ones are closed immediately. */
  maxConnections: number;
  /** Maximum number of linked devices. */
  linkedDevices: { inAll: number; ofAccount: number };
  /** CIDR blocks and addresses of proxies whose `X-Forwarded-*` is trusted. */
  trustedProxies: readonly string[];
  metricsToken: string | null;
  /** CIDR blocks that outbound requests may reach although they are not public, as they were configured. */
  outboundAllow: readonly string[];
  retention: RetentionPolicy;
  /** Whether each request has a line in the log. */
  logRequests: boolean;
  /** Of requests answered 2xx, one in this many is logged. */
  logSuccessEvery: number;
  /** The folder of the built dashboard; null if it is switched off. */
  dashboardFolder: string | null;
}
