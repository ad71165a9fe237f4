import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { Copy } from "./copy.tsx";
import { Problem } from "./page.tsx";

/** A dialog over the page. `onClose` null: it cannot be left by Escape. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: (() => void) | null;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <div className="stack">
        <h2 id={name}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/**
 * A button that asks first: the dialog names the effect, and the verb is on its button. `typed`: what has to be typed
 * because it cannot be undone.
 */
export function Ask({
  verb,
  title,
  effect,
  typed,
  run,
  label = verb,
  grave = true,
}: {
  label?: string;
  verb: string;
  title: string;
  effect: ReactNode;
  typed?: string;
  grave?: boolean;
  run: () => Promise<unknown>;
}) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const close = () => {
    setOpen(false);
    setText("");
    setError(null);
  };
  const act = async () => {
    setBusy(true);
    try {
      await run();
      close();
    } catch (caught) {
      setError(caught as ApiError);
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" className={grave ? "button bad" : "button"} onClick={() => setOpen(true)}>
        {label}
      </button>
      {open ? (
        <Dialog title={title} onClose={close}>
          <div>{effect}</div>
          {typed === undefined ? null : (
            <label className="field">
              <span>
                Type <code>{typed}</code> to go on.
              </span>
              <input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
            </label>
          )}
          <Problem error={error} />
          <div className="row">
            <button type="button" className="button" onClick={close}>
              Back
            </button>
            <button
              type="button"
              className={grave ? "button bad" : "button first"}
              disabled={busy || (typed !== undefined && text !== typed)}
              onClick={act}
            >
              {verb}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

/** A secret that is shown once. It lives in the component that opened this, and goes with it. */
export function SecretOnce({
  title,
  secret,
  line,
  onStored,
}: {
  title: string;
  secret: string;
  /** The name under which an environment would have it. */
  line: string;
  onStored: () => void;
}) {
  return (
    <Dialog title={title} onClose={null}>
      <p>It is shown this once. Store it now: it cannot be read here again.</p>
      <pre>{secret}</pre>
      <div className="row">
        <Copy text={secret} />
        <Copy text={`${line}=${secret}`} label="Copy as .env line" />
      </div>
      <button type="button" className="button first" onClick={onStored}>
        I have stored it
      </button>
    </Dialog>
  );
}
