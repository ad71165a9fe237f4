// The HTTP server: routes, limits of time and size, and the errors that occur before any handler. There is no framework, because the order
// of the steps (key before body, limits before parsing) is part of the contract.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorShapeOf, inShape } from "#ai/apis/apis.ts";
import { aiErrorReply, aiProblem } from "#contract/ai/openai-error.ts";
import { isProblem, type Problem, problem, problems } from "#contract/problem.ts";
import { forwardedCaller, trustOf } from "#http/auth/client-address.ts";
import { createSharedLimits } from "#http/auth/shared-limits.ts";
import { createSignInLimits } from "#http/auth/sign-in-limits.ts";
import { BodyShare } from "#http/body/budget.ts";
import { maxValuesFor } from "#http/body/limits.ts";
import { createWriter, isStream, type Reply } from "#http/reply/response.ts";
import { geminiUrl } from "#http/routes/ai/gemini-url.ts";
import { phoneEndpoints, phoneUrl } from "#http/routes/phones/phones.ts";
import { docsEndpoints } from "#http/routes/public/docs.ts";
import { mailLinkEndpoints } from "#http/routes/public/mail-links.ts";
import { inResendShape } from "#http/routes/resend/errors.ts";
import { resendEndpoints } from "#http/routes/resend/resend.ts";
import { inTwilioShape } from "#http/routes/twilio/errors.ts";
import { twilioEndpoints } from "#http/routes/twilio/twilio.ts";
import { createConnections } from "#http/server/connections.ts";
import { createDeadlines } from "#http/server/deadlines.ts";
import { hasDoubledHeaders } from "#http/server/duplicate-headers.ts";
import { cameThroughOperatorSocket } from "#http/server/operator-socket.ts";
import { HttpServer } from "#runtime/net/http-server.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import type { Caller, Gate, HttpCore } from "./call.ts";
import { endpoints } from "./endpoints.ts";
import { createNotFound, isAi, isResend, isTwilio } from "./not-found.ts";
import { RequestLog } from "./request-log.ts";
import { createRouter, type Match } from "./router.ts";
import type { HttpSettings } from "./settings.ts";
import { createStorageLog } from "./storage-log.ts";

/** Limits of time, ms. The first two are Node's own timers; the body's runs on the clock of the core. */
export interface HttpTimeouts {
  headers: number;
  /** How often Node looks for connections whose time is over. */
  check: number;
  body: number;
  /** How long a body with files may take to arrive, ms. */
  upload: number;
  /** A fallback for everything else: the longest that a request may take to arrive. */
  request: number;
  keepAlive: number;
}

const defaultTimeouts: HttpTimeouts = {
  headers: 10_000,
  check: 2_000,
  body: 30_000,
  upload: 120_000,
  request: 150_000,
  keepAlive: 65_000,
};

/** Form fields for each contact that may come, and some for the rest of a form. */
const fieldsPerContact = 8;
const otherFields = 100;

/**
 * Maximum number of lists that are read concurrently: two of the longest use 80 MB. SQLite has one reader, and PostgreSQL few connections.
 */
const maxConcurrentLists = 2;

const byteFaults = {
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
  HPE_HEADER_OVERFLOW: "headers_too_large",
} as const;

/** What to say to bytes that are no request, by the code that Node gives. Their first line may name a path. */
function clientFault({ code, rawPacket }: ByteError): Reply {
  const fault = byteFaults[code as keyof typeof byteFaults] ?? "malformed_request";
  const firstLine = Buffer.isBuffer(rawPacket) ? rawPacket.toString("latin1", 0, 256) : "";
  return requestFault(fault, /^[A-Z]+ (\S+) /.exec(firstLine)?.[1]);
}

/** A fault of the request as such, in the shape of the path that it names. */
function requestFault(
  fault: (typeof byteFaults)[keyof typeof byteFaults] | "malformed_request",
  target = "",
) {
  if (!isAi(target)) return problem(fault);
  const { status, message } = problems[fault];
  return aiErrorReply(status, { message, type: "invalid_request_error", param: null, code: fault });
}

interface ByteError extends NodeJS.ErrnoException {
  /** What could not be parsed; Node gives it with faults of its parser. */
  rawPacket?: unknown;
}

/** The server, not yet listening. Every spelling of a path that reaches an endpoint has passed the same authentication. */
export function buildApp(
  core: HttpCore,
  settings: HttpSettings,
  timeouts: Partial<HttpTimeouts> = {},
  sharedLimits = createSharedLimits(core.clock, settings),
): HttpServer {
  const limits = { ...defaultTimeouts, ...timeouts };
  const writer = createWriter(core.clock, settings.publicUrl?.startsWith("https://") ?? false);
  const deadlines = createDeadlines(core.clock, limits.body);
  const uploadDeadlines = createDeadlines(core.clock, limits.upload);
  const maxFields = settings.maxContacts * fieldsPerContact + otherFields;
  const isTrusted = settings.trustedProxies.length > 0 ? trustOf(settings.trustedProxies) : null;
  const compatible = [...twilioEndpoints, ...resendEndpoints];
  const all = [...endpoints, ...docsEndpoints, ...mailLinkEndpoints, ...phoneEndpoints, ...compatible];
  const route = createRouter(all);
  const maxValues = maxValuesFor(settings.maxContacts);
  const notFoundReply = createNotFound(all, settings.dashboardFolder);
  const requests = new RequestLog(core, settings);
  const bodyLimits = { maxBytes: settings.maxBodyBytes, maxFields, maxValues, deadlines };
  const keylessBytes = Math.min(settings.maxKeylessBodyBytes, settings.maxBodyBytes);
  const gate: Gate = {
    core,
    ...sharedLimits,
    signInLimits: createSignInLimits(core.clock),
    storageLog: createStorageLog(core.clock, core.log),
    bodyLimits,
    keylessLimits: { ...bodyLimits, maxBytes: keylessBytes },
    lists: { semaphore: new Semaphore(maxConcurrentLists), isFull: writer.isFull },
    uploads: {
      maxBytes: settings.maxUploadBytes,
      maxFieldBytes: settings.maxBodyBytes,
      maxKeylessBytes: settings.maxKeylessBodyBytes,
      maxFields,
      maxValues,
      deadlines: uploadDeadlines,
    },
  };

  /** An error in the shape of the API at the request's path. */
  function shaped(url: string | undefined, answer: Problem, requestId: string): Reply {
    if (isAi(url)) return inShape(errorShapeOf(url ?? ""), answer, requestId);
    if (isTwilio(url)) return inTwilioShape(answer);
    return isResend(url) ? inResendShape(answer) : answer;
  }

  /** Writes an answer; an error in the shape of the API at the request's path. */
  function write(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    answer: Reply | Problem,
  ): void {
    const reply = isProblem(answer) ? shaped(request.url, answer, requestId) : answer;
    // While closing, what still arrives on open connections is served: refusing it gains nothing while all components work.
    if (app.isClosing) response.shouldKeepAlive = false;
    writer.write(request, response, requestId, reply);
  }

  function fault(request: IncomingMessage): Reply {
    return isAi(request.url) ? aiProblem("server_error") : problem("server_error");
  }

  function answerElsewhere(request: IncomingMessage, response: ServerResponse, requestId: string): void {
    requests.atEnd(request, response, requestId, null, { account: null, keyId: null });
    write(request, response, requestId, notFoundReply(request, requestId));
  }

  function answerDoubled(request: IncomingMessage, response: ServerResponse): void {
    writer.write(request, response, core.newId("req"), requestFault("malformed_request", request.url));
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    if (hasDoubledHeaders(request)) {
      answerDoubled(request, response);
      return;
    }
    request.url = geminiUrl(phoneUrl(request.url ?? "/"));
    const requestId = core.newId("req");
    const match = route(request.method ?? "", request.url);
    if (match === null) answerElsewhere(request, response, requestId);
    else exchange(match, request, response, requestId);
  }

  function answerBytes(error: ByteError, socket: Socket): void {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    // The request before may have been accepted: its own answer is the only one that its sender may see.
    if (connections.break(socket, error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "too_slow" : "malformed"))
      return;
    socket.end(writer.rawResponse(core.newId("req"), clientFault(error)), () => socket.destroy());
  }

  function callerOf(request: IncomingMessage): Caller {
    const { headers, socket } = request;
    // A socket file has no address.
    if (cameThroughOperatorSocket(request)) return { ip: "127.0.0.1", host: headers.host ?? "localhost" };
    if (isTrusted !== null) return forwardedCaller(request, isTrusted);
    return { ip: socket.remoteAddress ?? "", host: headers.host ?? "" };
  }

  function exchange(
    { endpoint, params }: Match,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): void {
    const { path } = endpoint.head;
    const logged = { account: null, keyId: null };
    requests.atEnd(request, response, requestId, path, logged);
    const share = new BodyShare(gate.bodies);
    const caller = callerOf(request);
    endpoint
      .answer({ core, settings, request, requestId, caller, response, params, gate, logged, share })
      .then(
        (answer) => {
          // A stream is made from the request's values until it ends.
          if (answer !== null && isStream(answer.body) && !response.destroyed)
            response.once("close", () => share.release());
          else share.release();
          if (answer === null) response.destroy();
          else write(request, response, requestId, answer);
        },
        (error: unknown) => {
          share.release();
          // The route's pattern, not the URL: that may contain a key.
          core.log.error(
            { event: "http.request_failed", requestId, method: request.method, route: path, error },
            "A request failed.",
          );
          write(request, response, requestId, fault(request));
        },
      );
  }

  const connections = createConnections(handle, () => app.isClosing);
  const app = new HttpServer(
    {
      headersMs: limits.headers,
      checkMs: limits.check,
      requestMs: limits.request,
      keepAliveMs: limits.keepAlive,
      maxConnections: settings.maxConnections,
    },
    connections.listener,
    handle,
    () => {
      deadlines.stop();
      uploadDeadlines.stop();
      writer.stop();
      gate.storageLog.stop();
    },
  );
  app.server.on("clientError", (error: ByteError, socket) => answerBytes(error, socket as Socket));
  return app;
}
