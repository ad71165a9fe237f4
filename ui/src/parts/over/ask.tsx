import { type ReactNode, useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { Button } from "#ui/parts/button.tsx";
import { Problem } from "#ui/parts/page.tsx";
import { Dialog } from "./dialog.tsx";
import { Foot } from "./foot.tsx";

/** Actions on more than this many require typing their number. */
export const unaskedMost = 100;

/** The text to type before this many are affected. */
export const typedFor = (count: number): { typed?: string } =>
  count > unaskedMost ? { typed: String(count) } : {};

/** A text to type before an action that cannot be undone, or affects many. */
export function Typed({
  of,
  value,
  onChange,
}: {
  of: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <label className="field">
      <span>
        Type <code>{of}</code> to go on.
      </span>
      <input value={value} onChange={(event) => onChange(event.target.value)} autoComplete="off" />
    </label>
  );
}

/**
 * A button that asks first: the dialog describes the effect, and its button has the verb. `typed`: text to type because it cannot be
 * undone.
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
  label?: ReactNode;
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
      <Button look={grave ? "bad" : undefined} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={title} open={open} onClose={close} urgent={grave}>
        <div>{effect}</div>
        {typed === undefined ? null : <Typed of={typed} value={text} onChange={setText} />}
        <Problem error={error} />
        <Foot
          verb={verb}
          look={grave ? "grave" : "first"}
          isOff={busy || (typed !== undefined && text !== typed)}
          onAct={act}
          onBack={close}
        />
      </Dialog>
    </>
  );
}
