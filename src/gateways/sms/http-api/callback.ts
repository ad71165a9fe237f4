// How the delivery reports of an `http-api` provider are read, compiled from its settings. Only the token in the URL
// authenticates the provider, so it is compared first, and in constant time.

import type { ReceiptStatus } from "#gateways/outcome.ts";
import type { SmsCallback } from "#gateways/sms/engine/callback.ts";
import { forbidden, notConfigured } from "#gateways/sms/engine/proof.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import type { HttpApiCallback } from "./settings.ts";

const outcomes = ["delivered", "undelivered", "failed", "sent"] as const satisfies readonly ReceiptStatus[];

/**
 * Reports of a callback with the right `token` (exactly one, in the query): its single report, a list, or the list at `items`. With
 * undefined settings, the gateway accepts no callbacks.
 */
export function callbackOf(settings: HttpApiCallback | undefined): SmsCallback<unknown> {
  if (settings === undefined) return { proofs: [] };
  return {
    proofs: [
      (callback) => {
        if (settings.token === "") return notConfigured("token in its callback settings");
        const tokens = callback.query.getAll("token");
        return tokens.length === 1 && constantTimeEqual(tokens[0] ?? "", settings.token)
          ? { kind: "proved", covers: "call" }
          : forbidden("The token is missing or wrong.");
      },
    ],
    ...(settings.items === undefined ? {} : { items: settings.items }),
    receipt: {
      status: settings.status,
      words: (word) => outcomes.find((status) => settings[status].some((named) => String(named) === word)),
      ...(settings.reference === undefined ? {} : { reference: settings.reference }),
      ...(settings.id === undefined ? {} : { id: settings.id }),
      ...(settings.error === undefined ? {} : { code: settings.error, reason: settings.error }),
    },
  };
}
