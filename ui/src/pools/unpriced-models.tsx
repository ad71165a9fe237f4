import type { Pool } from "#ui/api/schema.ts";
import type { Values } from "#ui/schema-form/model.ts";
import { unpricedWords } from "./unpriced.ts";

/** How a cost budget treats the pool's models without a known price, below the form that sets it. */
export function Unpriced({ pool, values }: { pool: Pool; values: Values }) {
  const words = unpricedWords(pool, values);
  return words === null ? null : <p role="status">{words}</p>;
}
