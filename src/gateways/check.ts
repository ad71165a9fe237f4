// How a gateway is set up at its provider, asked for by an operator.

import type { Clock, Outbound } from "#runtime/runtime.ts";
import type { GatewayFacts } from "./callback.ts";

export interface CheckTools {
  outbound: Outbound;
  clock: Clock;
  timeoutMs: number;
}

export interface GatewayCheck {
  /** What the provider knows of the number; they are kept with the gateway. */
  facts: GatewayFacts;
  findings: Finding[];
}

/** `error`: messages cannot be sent, or reports do not come. `unknown`: the provider did not say. */
export interface Finding {
  /** What was looked at: `network`, `access`, `number`, `name`, `sending`, `callbacks`. */
  what: string;
  state: "ok" | "warning" | "error" | "unknown";
  detail: string;
}

/** `unknown`: no answer came, so it may have been registered. */
export type Registration =
  | { kind: "registered" }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };
