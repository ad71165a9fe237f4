// Dialogs over the page, as the browser makes them: they trap the focus, cover what is below, and give the focus back.

import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";

interface Over {
  title: string;
  open?: boolean;
  /** Called for Escape and for a click beside it; null if only its own buttons close it. */
  onClose: (() => void) | null;
  children: ReactNode;
}

function Layer({
  title,
  titleClass,
  className,
  role,
  open = true,
  onClose,
  children,
}: Over & { className: string; titleClass?: string; role: "dialog" | "alertdialog" }) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the element leaves the page, so that closing it returns the focus.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!open || dialog === null) return;
    dialog.showModal();
    return () => dialog.close();
  }, [open]);
  if (!open) return null;
  return createPortal(
    <dialog
      ref={element}
      className={className}
      role={role}
      aria-labelledby={titleId}
      closedby={onClose === null ? "none" : "any"}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // Chromium closes a dialog at the second Escape even if `cancel` is prevented. One that has left the page closes, too.
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose?.()}
    >
      <h2 id={titleId} className={titleClass}>
        {title}
      </h2>
      {children}
    </dialog>,
    document.body,
  );
}

/** A dialog in the middle of the page. `urgent`: it is announced as an alert. */
export const Dialog = ({
  urgent = false,
  broad = false,
  ...over
}: Over & { urgent?: boolean; broad?: boolean }) => (
  <Layer
    {...over}
    className={broad ? "over dialog broad" : "over dialog"}
    role={urgent ? "alertdialog" : "dialog"}
  />
);

/** A sheet from the bottom edge of a phone. */
export const Sheet = (over: Over) => (
  <Layer {...over} className="over sheet" titleClass="unseen" role="dialog" />
);
