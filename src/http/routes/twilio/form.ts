// The form of a request, as Twilio's clients send it: names with values, of which some come several times.

import { type Problem, problem } from "#contract/problem.ts";
import { announcesBody, readBytes } from "#http/body/bytes.ts";
import { badForm, formValueCost, mediaOf, noRoom, tooManyFields } from "#http/body/parse.ts";
import { unreadBodyProblem } from "#http/body/read.ts";
import { readUrlencoded } from "#http/body/urlencoded.ts";
import type { Call } from "#http/call.ts";

/** The longest text that a message may have, each of its bytes written as three characters. */
const maxBytes = 1024 * 1024;
const maxFields = 200;

/** The parameters of a request. Names are Twilio's; an empty value is like none. */
export class TwilioForm {
  readonly #values = new Map<string, string[]>();

  constructor(pairs: readonly (readonly [string, string])[]) {
    for (const [name, value] of pairs) {
      if (value.trim() === "") continue;
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  /** The value of a parameter; of several the last. */
  get(name: string): string | null {
    return this.#values.get(name)?.at(-1) ?? null;
  }

  names(): Iterable<string> {
    return this.#values.keys();
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }
}

/** Reads the form; null if the client disconnected. */
export async function readTwilioForm({ request, gate, share }: Call): Promise<TwilioForm | Problem | null> {
  if (announcesBody(request) && mediaOf(request.headers) !== "urlencoded")
    return problem("unsupported_media_type", {
      message: "The body must be application/x-www-form-urlencoded, and not compressed.",
    });
  const read = await readBytes(request, { ...gate.bodyLimits, maxBytes }, share);
  if (read.kind !== "bytes") return unreadBodyProblem(read.kind, maxBytes);
  const form = readUrlencoded(read.bytes, maxFields);
  if (form.kind === "too_many") return tooManyFields;
  if (form.kind === "malformed") return badForm;
  return share.grow(form.pairs.length * formValueCost) ? new TwilioForm(form.pairs) : noRoom;
}
