import type { Webhook } from "#ui/api/schema.ts";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";

/** Whether an endpoint receives its events, and since when it does not. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.active)
    return (
      <span>
        <Status of="off" /> {webhook.disabled_reason}
      </span>
    );
  if (webhook.failing_since === null) return <Status of="active" />;
  return (
    <span>
      <Status of="open">failing</Status> since <Time at={webhook.failing_since} />
    </span>
  );
}
