// The question before a person leaves unsent input, and what a dialog knows about its form.

import { createContext, type RefObject } from "react";
import { Dialog } from "./dialog.tsx";

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
      <div className="foot">
        <button type="button" className="button" onClick={onStay}>
          Stay
        </button>
        <button type="button" className="button grave" onClick={onLeave}>
          Leave
        </button>
      </div>
    </Dialog>
  );
}
