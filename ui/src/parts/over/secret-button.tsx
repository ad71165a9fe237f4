import { type ReactNode, useState } from "react";
import { DialogButton } from "./dialog-button.tsx";
import { SecretOnce } from "./secret-once.tsx";

/**
 * A button whose dialog creates a secret. `children` receive the function that closes the dialog and shows the secret once; null only
 * closes it. `adds`: the button is the first of its page and has a plus. `secret`: the title over the secret, and its name in an
 * environment.
 */
export function SecretButton({
  label,
  title,
  adds = false,
  secret: { title: secretTitle, line },
  children,
}: {
  label: string;
  title: string;
  adds?: boolean;
  secret: { title: string; line: string };
  children: (onSecret: (secret: string | null) => void) => ReactNode;
}) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <DialogButton adds={adds} title={title} label={label}>
        {(close) =>
          children((made) => {
            close();
            setSecret(made);
          })
        }
      </DialogButton>
      {secret === null ? null : (
        <SecretOnce title={secretTitle} secret={secret} line={line} onStored={() => setSecret(null)} />
      )}
    </>
  );
}
