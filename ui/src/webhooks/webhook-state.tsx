import type { Webhook } from "#ui/api/schema.ts";
import { Status } from "#ui/parts/status.tsx";
import { Clock, Time } from "#ui/parts/time.tsx";

/** Whether an endpoint receives its events, and since when it does not. `brief`: in a list. */
export function WebhookState({ webhook, brief = false }: { webhook: Webhook; brief?: boolean }) {
  if (!webhook.active)
    return (
      <span>
        <Status of="off" /> {webhook.disabled_reason}
      </span>
    );
  if (webhook.failing_since === null) return <Status of="active" />;
  const Since = brief ? Clock : Time;
  return (
    <span>
      <Status of="open">failing</Status> since <Since at={webhook.failing_since} />
    </span>
  );
}
