// The settings of the HTTP edge.

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
  /** The folder of the built dashboard, or null: it is switched off. */
  dashboardFolder: string | null;
}
