import { Ellipsis } from "lucide-react";
import { type ReactNode, useId, useRef } from "react";
import { Button } from "#ui/parts/button.tsx";

/** The buttons that few people need, behind one. What they open stays when it closes. `of`: whose they are. */
export function More({ of, children }: { of: string; children: ReactNode }) {
  const id = useId();
  const popup = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button ref={button} popoverTarget={id} aria-label={`More for ${of}`}>
        <Ellipsis aria-hidden="true" />
      </Button>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of buttons, no fieldset */}
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="group"
        aria-label={`More for ${of}`}
        className="menu-popup more-menu"
        onClickCapture={() => {
          popup.current?.hidePopover();
          button.current?.focus();
        }}
      >
        {children}
      </div>
    </>
  );
}
