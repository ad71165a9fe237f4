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

type Look = Over & { className: string; titleClass?: string; role: "dialog" | "alertdialog" };

/** Its component goes with it, so that it is closed before its element leaves the page: then the focus returns. */
const Layer = ({ open = true, ...look }: Look) => (open ? <OpenLayer {...look} /> : null);

function OpenLayer({ title, titleClass, className, role, onClose, children }: Look) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return createPortal(
    <dialog
      ref={element}
      className={className}
      role={role}
      aria-labelledby={titleId}
      closedby={onClose === null ? "none" : "any"}
      // React passes on the events of a dialog inside this one, such as a question.
      onCancel={(event) => {
        event.preventDefault();
        if (event.target === event.currentTarget) onClose?.();
      }}
      // Chromium closes a dialog at the second Escape even if `cancel` is prevented. One that has left the page closes, too.
      onClose={({ target, currentTarget }) => {
        if (target !== currentTarget || !currentTarget.isConnected) return;
        currentTarget.showModal();
        onClose?.();
      }}
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
