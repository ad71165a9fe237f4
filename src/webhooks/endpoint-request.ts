// What is posted to a webhook endpoint.

/** A request to an endpoint, and the texts that its answer may repeat and the log must not. */
export interface EndpointRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  secrets: readonly string[];
}
