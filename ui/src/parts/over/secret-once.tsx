import type { ReactNode } from "react";
import { Copy } from "#ui/parts/copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Foot } from "./foot.tsx";

/**
 * A secret that is shown once. It lives in the component that opened this, and disappears with it. `again`: what it is for, or how it can be
 * shown again.
 */
export function SecretOnce({
  title,
  secret,
  line,
  again,
  onStored,
}: {
  title: string;
  secret: string;
  /** Its name as an environment variable. */
  line?: string;
  again?: ReactNode;
  onStored: () => void;
}) {
  return (
    <Dialog title={title} onClose={null}>
      <p>{again ?? "It is shown only once. Store it now: it cannot be shown again."}</p>
      <pre>{secret}</pre>
      <div className="row">
        <Copy text={secret} />
        {line === undefined ? null : <Copy text={`${line}=${secret}`} label="Copy as .env line" />}
      </div>
      <Foot verb={again === undefined ? "I have stored it" : "Close"} onAct={onStored} />
    </Dialog>
  );
}
