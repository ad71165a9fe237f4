import { type ReactNode, useState } from "react";
import { Dialog } from "./dialog.tsx";

/** A button that opens a dialog with a form. `children` get what closes it. */
export function DialogButton({
  label,
  title,
  first = false,
  children,
}: {
  label: ReactNode;
  title: string;
  /** The one thing that a person most likely comes for. */
  first?: boolean;
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className={first ? "button first" : "button"} onClick={() => setOpen(true)}>
        {label}
      </button>
      <Dialog title={title} open={open} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  );
}
