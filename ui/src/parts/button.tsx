import type { ComponentProps } from "react";
import { done } from "./over/toast.tsx";

/** A button. `look`: `first` is the main action of its page; `plain` and `bare` are beside others. */
export const Button = ({
  look,
  ...props
}: ComponentProps<"button"> & { look?: "first" | "plain" | "bare" }) => (
  <button type="button" {...props} className={look === undefined ? "button" : `button ${look}`} />
);

/** Switches something on or off, which can be undone. `name`: it, in the confirmation. */
export function OnOff({
  name,
  active,
  set,
  ...props
}: ComponentProps<"button"> & { name: string; active: boolean; set: (active: boolean) => Promise<unknown> }) {
  const turn = async () => {
    try {
      await set(!active);
    } catch {
      return; // The page shows why.
    }
    done(`${name} is switched ${active ? "off" : "on"}`, () => set(active));
  };
  return (
    <Button {...props} onClick={turn}>
      {active ? "Switch off" : "Switch on"}
    </Button>
  );
}
