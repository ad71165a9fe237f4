import type { ReactNode } from "react";

/**
 * The buttons of a dialog or a form, in one order: what else there is, the way back, and the verb last. Without `onAct` it sends the form
 * around it. `look`: `grave` cannot be undone, `quiet` is not what the page is for.
 */
export function Foot({
  verb,
  look = "first",
  isOff = false,
  onAct,
  back = "Back",
  onBack,
  more,
}: {
  verb: string;
  look?: "first" | "grave" | "quiet";
  isOff?: boolean;
  onAct?: () => unknown;
  back?: string;
  onBack?: () => void;
  more?: ReactNode;
}) {
  return (
    <div className="foot">
      {more}
      {onBack === undefined ? null : (
        <button type="button" className="button" onClick={onBack}>
          {back}
        </button>
      )}
      <button
        type={onAct === undefined ? "submit" : "button"}
        className={`button ${look}`}
        disabled={isOff}
        onClick={onAct}
      >
        {verb}
      </button>
    </div>
  );
}
