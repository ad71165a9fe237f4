// Requests to an app without a connection.

import lightMyRequest, { type InjectOptions, type Response } from "light-my-request";
import type { HttpServer } from "#runtime/net/http-server.ts";

export type { InjectOptions };
export type Injected = Response;

/** Answers a request, or a GET of a path. */
export const inject = (app: Pick<HttpServer, "handle">, request: InjectOptions | string): Promise<Injected> =>
  lightMyRequest(app.handle, request);
