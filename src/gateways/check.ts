// The set-up of a gateway at its provider, checked at an operator's request.

import type { Clock, Outbound } from "#runtime/runtime.ts";
import type { GatewayFacts } from "./callback.ts";

export interface CheckTools {
  outbound: Outbound;
  clock: Clock;
  timeoutMs: number;
}

export interface GatewayCheck {
  /** What the provider knows about the number; stored with the gateway. */
  facts: GatewayFacts;
  findings: Finding[];
}

/** `error`: messages cannot be sent, or reports do not arrive. `unknown`: the provider did not say. */
export interface Finding {
  /** What was checked: `network`, `access`, `number`, `name`, `sending`, `callbacks`. */
  what: string;
  state: "ok" | "warning" | "error" | "unknown";
  detail: string;
}

/** `unknown`: no answer arrived, so it may have been registered. */
export type Registration =
  | { kind: "registered" }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };
