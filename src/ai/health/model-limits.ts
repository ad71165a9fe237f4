// The maximum answer length of each model of a member, learned from its refusals. Requests for longer answers are lowered to it for some
// hours. Pure: the caller passes the time in.

import { rememberedMs } from "./refused-parameters.ts";

export class ModelLimits {
  /** By model; limited to the models in the member's settings. `until`: monotonic ms. */
  readonly #byModel = new Map<string, { tokens: number; until: number }>();

  /** Records a model's limit, tokens. `now`: monotonic ms. */
  learn(model: string, tokens: number, now: number): void {
    this.#byModel.set(model, { tokens, until: now + rememberedMs });
  }

  /** The model's limit, tokens; null if none is known. `now`: monotonic ms. */
  of(model: string, now: number): number | null {
    // Nearly every request returns here.
    if (this.#byModel.size === 0) return null;
    const known = this.#byModel.get(model);
    return known !== undefined && known.until > now ? known.tokens : null;
  }
}
