// Which client APIs each model of a member turned out to lack, although its vendor documents them. Its requests are translated for some
// hours. Pure: the caller passes the time in.

import type { ClientFormat } from "#providers/provider.ts";
import { rememberedMs } from "./refused-parameters.ts";

export class MissingApis {
  /** By format and model; limited to the models in the member's settings. The value: until when, monotonic ms. */
  readonly #until = new Map<string, number>();

  /** Records that the model is not served in the format. `now`: monotonic ms. */
  learn(model: string, format: ClientFormat, now: number): void {
    this.#until.set(`${format} ${model}`, now + rememberedMs);
  }

  /** Whether the model is known not to be served in the format. `now`: monotonic ms. */
  has(model: string, format: ClientFormat, now: number): boolean {
    // Nearly every request returns here.
    if (this.#until.size === 0) return false;
    return (this.#until.get(`${format} ${model}`) ?? Number.NEGATIVE_INFINITY) > now;
  }
}
