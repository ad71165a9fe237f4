import { Plus } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "#ui/parts/button.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { Dialog } from "./dialog.tsx";
import { LeaveQuestion, TouchedInDialog } from "./leave-question.tsx";

/**
 * A button that opens a dialog with a form. `children` receive the function that closes it. Input is not lost by Escape or a click beside
 * it.
 */
export function DialogButton({
  label,
  title,
  adds = false,
  children,
}: {
  label: ReactNode;
  title: string;
  /** Whether it adds something, which is the main action of its page. A link to the page with `open` and the title opens it. */
  adds?: boolean;
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const [asks, setAsks] = useState(false);
  const isTouched = useRef(() => false);
  const [{ open: linked }, setFilter] = useFilter();
  useEffect(() => {
    if (!adds || linked !== title) return;
    setOpen(true);
    setFilter("open", "");
  });
  const close = () => {
    setOpen(false);
    setAsks(false);
  };
  return (
    <>
      <Button look={adds ? "first" : undefined} onClick={() => setOpen(true)}>
        {adds ? <Plus aria-hidden="true" /> : null} {label}
      </Button>
      <Dialog title={title} open={open} onClose={() => (isTouched.current() ? setAsks(true) : close())}>
        <TouchedInDialog value={isTouched}>{children(close)}</TouchedInDialog>
        <LeaveQuestion open={asks} onStay={() => setAsks(false)} onLeave={close} />
      </Dialog>
    </>
  );
}
