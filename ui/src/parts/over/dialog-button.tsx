import { type ReactNode, useRef, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { LeaveQuestion, TouchedInDialog } from "./leave-question.tsx";

/**
 * A button that opens a dialog with a form. `children` receive the function that closes it. Input is not lost by Escape or a click beside
 * it.
 */
export function DialogButton({
  label,
  title,
  first = false,
  children,
}: {
  label: ReactNode;
  title: string;
  /** The main action of the page. */
  first?: boolean;
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const [asks, setAsks] = useState(false);
  const isTouched = useRef(() => false);
  const close = () => {
    setOpen(false);
    setAsks(false);
  };
  return (
    <>
      <button type="button" className={first ? "button first" : "button"} onClick={() => setOpen(true)}>
        {label}
      </button>
      <Dialog title={title} open={open} onClose={() => (isTouched.current() ? setAsks(true) : close())}>
        <TouchedInDialog value={isTouched}>{children(close)}</TouchedInDialog>
        <LeaveQuestion open={asks} onStay={() => setAsks(false)} onLeave={close} />
      </Dialog>
    </>
  );
}
