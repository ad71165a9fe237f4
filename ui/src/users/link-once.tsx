import type { NewSetupLink } from "#ui/api/schema.ts";
import { Copy } from "#ui/parts/copy.tsx";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { Foot } from "#ui/parts/over/foot.tsx";
import { Time } from "#ui/parts/time.tsx";

/**
 * The link with the address by which this browser reaches the service: without a public address the service does not know whether that uses
 * TLS.
 */
function linkHere(link: string): string {
  const url = new URL(link);
  return url.host === location.host ? `${location.origin}${url.pathname}${url.hash}` : link;
}

/** A set-up link, shown once. It lives in the component that opened this, and disappears with it. */
export function LinkOnce({ name, link, onDone }: { name: string; link: NewSetupLink; onDone: () => void }) {
  const text = linkHere(link.setup_link);
  return (
    <Dialog title={`The link for ${name}`} onClose={null}>
      <p>
        Hand it to {name}, who chooses a password with it and is signed in. It works once, until{" "}
        <Time at={link.setup_link_expires_at} />, and is shown this once.
      </p>
      <pre>{text}</pre>
      <div className="row">
        <Copy text={text} />
      </div>
      <Foot verb="I have copied it" onAct={onDone} />
    </Dialog>
  );
}
