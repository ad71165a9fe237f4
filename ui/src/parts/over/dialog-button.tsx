import { type ReactNode, useRef, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { LeaveQuestion, TouchedInDialog } from "./leave-question.tsx";

/** A button that opens a dialog with a form. `children` get what closes it. What was entered is not lost by Escape or a slip beside it. */
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
