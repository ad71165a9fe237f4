import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";

/**
 * A dialog over the page; the focus moves into it, and back afterwards. `onClose` null: Escape does not close it. `urgent`: it is announced
 * as an alert.
 */
export function Dialog({
  title,
  open = true,
  onClose,
  urgent = false,
  broad = false,
  children,
}: {
  title: string;
  open?: boolean;
  onClose: (() => void) | null;
  urgent?: boolean;
  broad?: boolean;
  children: ReactNode;
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => next || onClose?.()}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup
          className={broad ? "dialog broad" : "dialog"}
          {...(urgent ? { role: "alertdialog" } : {})}
        >
          <Base.Title>{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A sheet from the bottom edge of a phone. */
export function Sheet({
  title,
  open,
  onClose,
  children,
}: {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup className="sheet">
          <Base.Title className="unseen">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
