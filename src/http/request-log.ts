// The log of requests: one line each, when its answer has ended.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Call, HttpCore } from "./call.ts";
import type { HttpSettings } from "./settings.ts";

/** Routes that monitoring calls every few seconds. */
const quiet = /^\/(?:health\/|metrics$)/;

export class RequestLog {
  readonly #core: Pick<HttpCore, "clock" | "log">;
  readonly #settings: Pick<HttpSettings, "logRequests" | "logSuccessEvery">;
  #successes = 0;

  constructor(
    core: Pick<HttpCore, "clock" | "log">,
    settings: Pick<HttpSettings, "logRequests" | "logSuccessEvery">,
  ) {
    this.#core = core;
    this.#settings = settings;
  }

  /** Logs the request when its answer ends. `route`: the route's pattern, because a path may contain ids, numbers and keys. */
  atEnd(
    { method = "" }: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    route: string | null,
    logged: Call["logged"],
  ): void {
    if (!this.#settings.logRequests) return;
    const { clock, log } = this.#core;
    const beganAt = clock.monotonic();
    response.once("close", () => {
      const fields = {
        event: "http.request",
        requestId,
        method,
        route,
        status: response.statusCode,
        ms: Math.round((clock.monotonic() - beganAt) * 10) / 10,
        account: logged.account,
        keyId: logged.keyId,
        // The client left, or the stream was cut.
        ...(response.writableFinished ? {} : { aborted: true }),
      };
      const isSuccess = response.writableFinished && Math.floor(response.statusCode / 100) === 2;
      if (route !== null && quiet.test(route)) log.debug(fields, "A request was answered.");
      else if (!isSuccess || this.#successes++ % this.#settings.logSuccessEvery === 0)
        log.record(fields, "A request was answered.");
    });
  }
}
