import type { NewSetupLink } from "#ui/api/schema.ts";
import { SecretOnce } from "#ui/parts/over/secret-once.tsx";
import { Time } from "#ui/parts/time.tsx";

/**
 * The link with the address by which this browser reaches the service: without a public address the service does not know whether that uses
 * TLS.
 */
function linkHere(link: string): string {
  const url = new URL(link);
  return url.host === location.host ? `${location.origin}${url.pathname}${url.hash}` : link;
}

/** A set-up link, shown once. */
export const LinkOnce = ({
  name,
  link,
  onDone,
}: {
  name: string;
  link: NewSetupLink;
  onDone: () => void;
}) => (
  <SecretOnce
    title={`The link for ${name}`}
    secret={linkHere(link.setup_link)}
    again={
      <>
        Hand it to {name}, who chooses a password with it and is signed in. It works once, until{" "}
        <Time at={link.setup_link_expires_at} />, and is shown this once.
      </>
    }
    onStored={onDone}
  />
);
