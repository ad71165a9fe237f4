// How the simulator calls the server: as providers do, again and again until the service says 2xx.

import { request } from "node:http";
import { pause } from "./marker.ts";

/** Every 250 ms; longer than any restart takes. */
export const patience = 240;
const pauseMs = 250;

export interface Call {
  /** Where the server may be reached; the next try goes to the next one. Read before each try. */
  bases: () => readonly string[];
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Posts until the service answers 2xx; false: it did not in so many tries. */
export async function postUntilTaken({ bases, path, headers, body }: Call, tries: number): Promise<boolean> {
  for (let turn = 0; turn < tries; turn += 1) {
    const known = bases();
    const base = known[turn % known.length];
    if (base === undefined) return false;
    if (await post(`${base}${path}`, headers, body)) return true;
    if (turn + 1 < tries) await pause(pauseMs);
  }
  return false;
}

function post(url: string, headers: Record<string, string>, body: string): Promise<boolean> {
  return new Promise((resolve) => {
    const all = { ...headers, "content-length": Buffer.byteLength(body) };
    const call = request(url, { method: "POST", headers: all, timeout: 5000 }, (answer) => {
      answer.resume();
      answer.on("error", () => resolve(false));
      answer.on("close", () => resolve(answer.complete && (answer.statusCode ?? 500) < 300));
    });
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve(false));
    call.end(body);
  });
}
