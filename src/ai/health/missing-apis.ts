// Which client APIs each model of a member turned out to lack, though its vendor documents them. For some hours its
// requests are translated. Pure: time comes in.

import type { ClientFormat } from "#providers/provider.ts";
import { rememberedMs } from "./refused-parameters.ts";

export class MissingApis {
  /** By format and model; bounded by the models that the member's settings name. The values: until when, monotonic ms. */
  readonly #until = new Map<string, number>();

  /** Remembers that the model is not served in the format. `now`: monotonic ms. */
  learn(model: string, format: ClientFormat, now: number): void {
    this.#until.set(`${format} ${model}`, now + rememberedMs);
  }

  /** Whether the model is known not to be served in the format. `now`: monotonic ms. */
  has(model: string, format: ClientFormat, now: number): boolean {
    // Nearly every request ends here.
    if (this.#until.size === 0) return false;
    return (this.#until.get(`${format} ${model}`) ?? Number.NEGATIVE_INFINITY) > now;
  }
}
