import type { ApiError } from "#ui/api/client.ts";
import { Button } from "#ui/parts/button.tsx";

/** Shown after a lost answer, and after the key was already used for another send. */
export function Doubt({ error, onRenew }: { error: ApiError | null; onRenew: () => void }) {
  if (error === null) return null;
  if (error.status === 0 || error.status === 503)
    return (
      <p className="notice warn" role="status">
        Whether it was sent is not known. Sending it again is safe as long as nothing is changed: the service
        takes the same request once.
      </p>
    );
  if (error.errors["Idempotency-Key"] === undefined) return null;
  return (
    <div className="notice warn" role="status">
      <p>It was sent before in another form: the log has it. What is here now would be sent besides.</p>
      <div>
        <Button onClick={onRenew}>Make it a send of its own</Button>
      </div>
    </div>
  );
}
