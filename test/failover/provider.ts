// The provider that misbehaves: a real HTTP server on which the model's name picks the fault. It keeps a log of
// every completion that it was asked for. Each bench run has a path of its own, so that runs do not meet.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Profile } from "./profile.ts";

export const words = Array.from({ length: 60 }, (_, at) => `word${at + 1}`);
/** The one whole answer. */
export const canonical = words.join(" ");

export interface Hit {
  /** Milliseconds on the provider's own count. */
  at: number;
  run: string;
  model: string;
  /** Whether it was answered with the fault. */
  faulty: boolean;
}

export interface Provider {
  url(run: string): string;
  hits(run: string, model: string): Hit[];
  /** How many of a run's requests have an answer under way. */
  busy(run: string): number;
  /** Resolves when a run has none, with the milliseconds on the count of `hits`. */
  idle(run: string): Promise<number>;
  close(): Promise<void>;
}

type Answering = (answer: Answer) => Promise<void> | void;

interface Answer {
  body: Record<string, unknown>;
  request: IncomingMessage;
  response: ServerResponse;
  hit: Hit;
  /** How often this model was asked before, in this run. */
  before: number;
  /** Since this run first asked for anything, ms. */
  sinceStart: number;
  profile: Profile;
}

const pause = (ms: number, response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const over = () => {
      clearTimeout(timer);
      response.removeListener("close", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    response.once("close", over);
  });

function refuse(
  { response, hit }: Answer,
  status: number,
  code: string,
  headers: Record<string, string> = {},
) {
  hit.faulty = true;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(
    JSON.stringify({ error: { message: `${code}: as arranged`, type: "arranged", param: null, code } }),
  );
}

const usage = { prompt_tokens: 20, completion_tokens: 60, total_tokens: 80 };

interface Twist {
  /** Words that are sent; all of them otherwise. */
  upTo?: number;
  firstAfterMs?: number;
  /** What to do behind the words, in place of the end. */
  ending?: Answering;
  /** The place of an event that is not JSON, from 0. */
  malformed?: number;
  noDone?: boolean;
}

/** A stream of the whole answer, or of it with something wrong. */
async function speak(answer: Answer, twist: Twist = {}): Promise<void> {
  const { response, body, hit, profile } = answer;
  const model = hit.model;
  if (body.stream !== true) {
    const message = { role: "assistant", content: canonical };
    const choices = [{ index: 0, message, finish_reason: "stop", logprobs: null }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ id: "cmpl-1", object: "chat.completion", created: 1, model, choices, usage }),
    );
    return;
  }
  const chunk = (delta: object, finish: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({
        id: "cmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      })}\n\n`,
    );
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  if (twist.firstAfterMs !== undefined) await pause(twist.firstAfterMs, response);
  chunk({ role: "assistant", content: "" });
  for (const [at, word] of words.slice(0, twist.upTo ?? words.length).entries()) {
    await pause(profile.tokenMs, response);
    if (response.destroyed) return;
    if (at === twist.malformed) response.write('data: {"id": "cmpl-1", "choices": [{"delta"\n\n');
    else chunk({ content: at === 0 ? word : ` ${word}` });
  }
  if (twist.ending) {
    await twist.ending(answer);
    return;
  }
  chunk({}, "stop");
  const options = body.stream_options as { include_usage?: boolean } | undefined;
  if (options?.include_usage === true) {
    const last = { id: "cmpl-1", object: "chat.completion.chunk", created: 1, model, choices: [], usage };
    response.write(`data: ${JSON.stringify(last)}\n\n`);
  }
  response.end(twist.noDone ? "" : "data: [DONE]\n\n");
}

/** A connection that ends without a word. */
const reset: Answering = ({ request }) => void request.socket.resetAndDestroy();

/** Broken the first time, well afterwards. */
const once =
  (fault: Answering): Answering =>
  (answer) => {
    if (answer.before > 0) return speak(answer);
    answer.hit.faulty = true;
    return fault(answer);
  };

const twisted =
  (twist: (profile: Profile) => Twist): Answering =>
  (answer) => {
    answer.hit.faulty = true;
    return speak(answer, twist(answer.profile));
  };

const cut = twisted(() => ({ upTo: 40, ending: reset }));

/** Fault by the beginning of the model's name. */
const faults: Readonly<Record<string, Answering>> = {
  "fb-ok": speak,
  "fb-ok-noprefill": (answer) => {
    const { messages } = answer.body as { messages: { role: string }[] };
    return messages.at(-1)?.role === "assistant"
      ? refuse(answer, 400, "prefill_not_supported")
      : speak(answer);
  },
  "fb-s01": once((answer) => refuse(answer, 429, "rate_limit_exceeded", { "retry-after": "2" })),
  "fb-s02": (answer) => refuse(answer, 429, "rate_limit_exceeded"),
  "fb-s03": once((answer) => refuse(answer, 500, "server_error")),
  "fb-s04": (answer) => refuse(answer, 503, "overloaded"),
  "fb-s05": once(reset),
  "fb-s06": async (answer) => {
    answer.hit.faulty = true;
    await pause(answer.profile.silenceMs, answer.response);
    answer.request.socket.destroy();
  },
  "fb-s07": twisted((profile) => ({ firstAfterMs: profile.firstTokenMs })),
  "fb-s08": cut,
  "fb-s09": twisted((profile) => ({
    upTo: 20,
    ending: async ({ request, response }) => {
      await pause(profile.stallMs, response);
      request.socket.destroy();
    },
  })),
  "fb-s10": twisted(() => ({ malformed: 9 })),
  "fb-s11": twisted(() => ({ noDone: true })),
  "fb-s12": (answer) => refuse(answer, 400, "context_length_exceeded"),
  "fb-s13": (answer) => refuse(answer, 400, "content_policy_violation"),
  "fb-s14": cut,
  "fb-s15": (answer) =>
    answer.sinceStart < answer.profile.outageMs ? refuse(answer, 503, "overloaded") : speak(answer),
  "fb-s16": (answer) => refuse(answer, 503, "overloaded"),
};

/** What `GET models` says of a provider that is down: the truth, that it is well, or that there is no such page. */
export type Checks = "truthful" | "lying" | "none";

/** Opens one on loopback. Runs whose name ends in `-lying` or `-none` have such checks. */
export async function openProvider(profile: Profile): Promise<Provider> {
  const log: Hit[] = [];
  const startedAt = new Map<string, number>();
  const busy = new Map<string, number>();
  const looking = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const [, run = "", , last = ""] = (request.url ?? "").split("/");
    const checks: Checks = run.endsWith("-lying") ? "lying" : run.endsWith("-none") ? "none" : "truthful";
    const now = performance.now();
    if (last === "models") {
      const down = now - (startedAt.get(run) ?? now) < profile.outageMs;
      const status = checks === "none" ? 404 : checks === "truthful" && down ? 503 : 200;
      response.writeHead(status, { "content-type": "application/json" }).end('{"object":"list","data":[]}');
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
    const model = String(body.model);
    const since = startedAt.get(run) ?? now;
    startedAt.set(run, since);
    const before = log.filter((hit) => hit.run === run && hit.model === model).length;
    const hit: Hit = { at: now, run, model, faulty: false };
    log.push(hit);
    busy.set(run, (busy.get(run) ?? 0) + 1);
    response.once("close", () => {
      busy.set(run, (busy.get(run) ?? 1) - 1);
      for (const look of looking) look();
    });
    const fault = faults[model] ?? faults[model.slice(0, 6)];
    if (!fault) throw new Error(`No such fault: ${model}`);
    await fault({ body, request, response, hit, before, sinceStart: now - since, profile });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (run) => `http://127.0.0.1:${port}/${run}/v1`,
    hits: (run, model) => log.filter((hit) => hit.run === run && hit.model === model),
    busy: (run) => busy.get(run) ?? 0,
    idle: (run) =>
      new Promise((resolve) => {
        const look = () => {
          if ((busy.get(run) ?? 0) > 0) return;
          looking.delete(look);
          resolve(performance.now());
        };
        looking.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
