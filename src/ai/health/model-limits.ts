// The longest answer that each model of a member gives, as its refusals named it. For some hours requests for a longer one
// are lowered to it. Pure: time comes in.

import { rememberedMs } from "./refused-parameters.ts";

export class ModelLimits {
  /** By model; bounded by the models that the member's settings name. `until`: monotonic ms. */
  readonly #byModel = new Map<string, { tokens: number; until: number }>();

  /** Remembers a model's limit, tokens. `now`: monotonic ms. */
  learn(model: string, tokens: number, now: number): void {
    this.#byModel.set(model, { tokens, until: now + rememberedMs });
  }

  /** The model's limit, tokens; null if none is known. `now`: monotonic ms. */
  of(model: string, now: number): number | null {
    // Nearly every request ends here.
    if (this.#byModel.size === 0) return null;
    const known = this.#byModel.get(model);
    return known !== undefined && known.until > now ? known.tokens : null;
  }
}
