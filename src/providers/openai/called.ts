// Normalizes tool calls of servers that write them differently from OpenAI: all numbered 0 or not at all (Google's OpenAI-compatible API,
// Ollama before 0.5), or with an object as arguments (llama.cpp with `--tool-args-object`, TGI). Clients distinguish the calls of a stream
// only by their index and parse the arguments as text, so both are corrected here.

import { type Fields, isObject } from "#contract/normalise.ts";
import { argumentsText, textOf } from "#providers/translate/json.ts";

/** A call in progress. */
interface OpenCall {
  number: number;
  id: string;
  name: string;
  arguments: ArgumentText;
}

/** Tracks JSON text that arrives in pieces, in one pass over all of them. */
class ArgumentText {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #state: "empty" | "open" | "whole" = "empty";

  get isEmpty(): boolean {
    return this.#state === "empty";
  }

  /** Whether the object has ended. */
  get isWhole(): boolean {
    return this.#state === "whole";
  }

  add(text: string): void {
    for (const char of text) {
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (char === "\\") this.#escaped = true;
        else if (char === '"') this.#inString = false;
        continue;
      }
      if (char === '"') this.#inString = true;
      else if (char === "{" || char === "[") this.#depth += 1;
      else if (char === "}" || char === "]") this.#depth -= 1;
      if (this.#state === "empty" && char.trim() !== "") this.#state = "open";
      if (this.#state === "open" && this.#depth === 0 && (char === "}" || char === "]"))
        this.#state = "whole";
    }
  }
}

/** Numbers the calls of one choice of a stream. */
class CallNumbers {
  /** The server's index, or null if it gave none. */
  readonly #byIndex = new Map<number | null, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();
  readonly #taken = new Set<number>();
  #next = 0;

  /** The number of the call to which a piece belongs. `named`: the calls that earlier pieces of the same chunk have named. */
  of(piece: Fields, named: Set<number>): number {
    const called = isObject(piece.function) ? piece.function : {};
    const id = textOf(piece.id);
    const name = textOf(called.name);
    const text = argumentsText(called.arguments);
    const index = typeof piece.index === "number" ? piece.index : null;
    const known = this.#known(index, id);
    const call =
      known === undefined || begins(known, { id, name, text }, named) ? this.#begun(index, id, name) : known;
    if (name !== "") named.add(call.number);
    call.arguments.add(text);
    return call.number;
  }

  #known(index: number | null, id: string): OpenCall | undefined {
    const here = this.#byIndex.get(index);
    return index === null && id !== "" ? (this.#byId.get(id) ?? here) : here;
  }

  #begun(index: number | null, id: string, name: string): OpenCall {
    const number = index === null || this.#taken.has(index) ? this.#next : index;
    const call = { number, id, name, arguments: new ArgumentText() };
    this.#taken.add(number);
    while (this.#taken.has(this.#next)) this.#next += 1;
    this.#byIndex.set(index, call);
    if (id !== "") this.#byId.set(id, call);
    return call;
  }
}

/** Whether a piece at the position of a known call begins another call. Some servers repeat ids and names in each piece. */
function begins(
  known: OpenCall,
  { id, name, text }: { id: string; name: string; text: string },
  named: ReadonlySet<number>,
): boolean {
  if (name === "") return false;
  const { isEmpty, isWhole } = known.arguments;
  if (id !== "" && known.id !== "") {
    if (id === known.id) return false;
    return isEmpty || isWhole || name !== known.name;
  }
  return named.has(known.number) || (isWhole && (text !== "" || name !== known.name));
}

/** Corrects the calls of a stream, chunk by chunk. */
export class CalledStream {
  readonly #byChoice = new Map<unknown, CallNumbers>();

  /** The corrected choices of a chunk. Null if they are already correct. */
  righted(choices: readonly Fields[]): Fields[] | null {
    let changed = false;
    const righted = choices.map((choice) => {
      const { delta, index = 0 } = choice;
      if (!isObject(delta) || !Array.isArray(delta.tool_calls) || delta.tool_calls.length === 0)
        return choice;
      const numbers = this.#byChoice.get(index) ?? new CallNumbers();
      this.#byChoice.set(index, numbers);
      const named = new Set<number>();
      const calls = delta.tool_calls.map((call: unknown) => {
        if (!isObject(call)) return call;
        const number = numbers.of(call, named);
        const called = withArgumentText(call);
        if (number === call.index && called === call) return call;
        changed = true;
        return { ...called, index: number };
      });
      return { ...choice, delta: { ...delta, tool_calls: calls } };
    });
    return changed ? righted : null;
  }
}

/** The call with its arguments as text; the call itself if they already are text. */
function withArgumentText(call: Fields): Fields {
  const called = call.function;
  if (!isObject(called) || !isObject(called.arguments)) return call;
  return { ...call, function: { ...called, arguments: argumentsText(called.arguments) } };
}

/** The choices of a whole answer with call arguments as text. Null if they are already correct. */
export function rightedChoices(choices: readonly Fields[]): Fields[] | null {
  let changed = false;
  const righted = choices.map((choice) => {
    const { message } = choice;
    if (!isObject(message) || !Array.isArray(message.tool_calls)) return choice;
    const calls = message.tool_calls.map((call: unknown) => {
      const called = isObject(call) ? withArgumentText(call) : call;
      if (called !== call) changed = true;
      return called;
    });
    return { ...choice, message: { ...message, tool_calls: calls } };
  });
  return changed ? righted : null;
}
