// Callbacks that Amazon SNS signs with its certificate. The message inside is the event, not the body around it.

import { createCertificates, verifiedNotification } from "#gateways/aws/notification.ts";
import { parseJson } from "#gateways/json-path.ts";
import { notConfigured, type Proof } from "./proof.ts";

/** `topics`: the ARNs whose messages are read; the confirmation of their subscriptions is answered by itself. */
export function sns<Settings>(
  topics: (settings: Settings) => readonly (string | undefined)[],
): Proof<Settings> {
  const certificates = createCertificates();
  return async (callback, settings, tools) => {
    const known = topics(settings).filter((topic) => topic !== undefined);
    if (known.length === 0) return notConfigured("SNS topic");
    let refusal = notConfigured("SNS topic");
    for (const topic of known) {
      const notification = await verifiedNotification(callback, topic, certificates, tools);
      switch (notification.kind) {
        case "notification":
          return { kind: "proved", document: parseJson(notification.message) ?? null };
        case "subscription": {
          const received = {
            kind: "received" as const,
            receipts: [],
            inbound: [],
            confirmUrl: notification.url,
          };
          return { kind: "answered", received };
        }
        case "ended":
          return { kind: "answered", received: { kind: "received", receipts: [], inbound: [] } };
        case "malformed":
          return { kind: "answered", received: notification };
        case "forbidden":
        case "unavailable":
          refusal = { kind: notification.kind, reason: notification.reason };
      }
      if (refusal.kind === "unavailable") return refusal;
    }
    return refusal;
  };
}
