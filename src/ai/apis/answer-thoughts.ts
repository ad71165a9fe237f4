// Collects the thoughts of one answer, which its client sends back in the next request.

import type { Fields } from "#contract/normalise.ts";
import { append } from "#providers/translate/append.ts";
import { joined, sealOf } from "#providers/translate/reasoning-details.ts";
import type { ThoughtField } from "#providers/translate/thought-forms.ts";
import { callSignature, hasMaker, unsealedThought } from "#providers/translate/unsealed-thoughts.ts";
import type { ChatPiece } from "./chat-answer.ts";

/** Whether the client has to send the detail back. */
const isReturned = (detail: Fields): boolean => sealOf(detail) !== "" || hasMaker(detail);

export class AnswerThoughts {
  readonly #maker: string | undefined;
  #text = "";
  #field: ThoughtField = "reasoning_content";
  #details: Fields[] = [];
  #signatures: Fields[] = [];

  /** `maker`: who produced the answer; if undefined, thoughts that the vendor did not seal are left out. */
  constructor(maker: string | undefined) {
    this.#maker = maker;
  }

  /** A chunk or a whole answer. */
  add({ reasoning, reasoningField, details, calls }: ChatPiece): void {
    this.#text += reasoning;
    if (reasoning !== "") this.#field = reasoningField;
    append(this.#details, details);
    for (const { index, signature } of calls)
      if (signature !== "" && this.#maker !== undefined)
        this.#signatures.push(callSignature(index, signature, this.#maker));
  }

  /** The thoughts since the last call; empty if there are none that a member needs back. */
  take(): Fields[] {
    const details = joined(this.#details);
    const signatures = this.#signatures;
    const text = this.#text;
    this.#details = [];
    this.#signatures = [];
    this.#text = "";
    if (details.some(isReturned)) return [...details, ...signatures];
    if (text === "" || this.#maker === undefined) return signatures;
    return [unsealedThought(text, this.#field, this.#maker), ...signatures];
  }
}
