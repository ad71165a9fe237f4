// A member of a pool as a request uses it: its provider, its settings and its limits.

import type { ForwardedOperation } from "#contract/ai/operations.ts";
import type { Provider } from "#providers/provider.ts";
import type { MemberTimeouts } from "#store/schema/pools.ts";
import type { Candidate } from "./pool.ts";

export interface Member extends Candidate {
  /** The models that it has embeddings for. */
  embeddingModels: readonly string[];
  /** The models of the operations that it forwards. */
  forwardedModels: Readonly<Partial<Record<ForwardedOperation, readonly string[]>>>;
  /** Millionths of the currency unit for a million tokens. */
  price: { input: number; output: number };
  provider: Provider;
  settings: unknown;
  timeouts: MemberTimeouts;
  /** The longest context, tokens; null: not configured. */
  contextTokens: number | null;
}
