import type { ReactNode } from "react";
import { Button } from "#ui/parts/button.tsx";

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
      {onBack === undefined ? null : <Button onClick={onBack}>{back}</Button>}
      <Button type={onAct === undefined ? "submit" : "button"} look={look} disabled={isOff} onClick={onAct}>
        {verb}
      </Button>
    </div>
  );
}
