// The question before a person leaves unsent input, and what a dialog knows about its form.

import { createContext, type RefObject } from "react";
import { Dialog } from "./dialog.tsx";
import { Foot } from "./foot.tsx";

/** Whether the form in a dialog has unsent input. The form sets it, and the dialog reads it before it closes. */
export const TouchedInDialog = createContext<RefObject<() => boolean> | null>(null);

export function LeaveQuestion({
  open,
  onStay,
  onLeave,
}: {
  open: boolean;
  onStay: () => void;
  onLeave: () => void;
}) {
  return (
    <Dialog title="Leave without saving?" open={open} onClose={onStay} urgent>
      <p>Your input has not been saved, and is lost if you leave.</p>
      <Foot verb="Leave" look="grave" onAct={onLeave} back="Stay" onBack={onStay} />
    </Dialog>
  );
}
