// Buttons that change something at once.

import type { Input, OperationName, Output } from "#ui/api/client.ts";
import { useChange } from "#ui/api/queries.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { done } from "./over/toast.tsx";
import { Problem } from "./page.tsx";

/** A button that calls an operation, and its error. `onDone` receives the answer. */
export function Act<N extends OperationName>({
  of,
  input,
  onDone,
  ...button
}: ButtonProps & { of: N; input: Input<N>; onDone?: (reply: Output<N>) => unknown }) {
  const { mutateAsync, isPending, error } = useChange(of);
  // The answer matters even if the button is gone by then.
  const act = () => mutateAsync(input).then(onDone, () => undefined);
  return (
    <>
      <Button {...button} disabled={isPending} onClick={act} />
      <Problem error={error} />
    </>
  );
}

/** Switches something on or off, which can be undone. `name`: it, in the confirmation. The page shows the error of `set`. */
export function OnOff({
  name,
  active,
  set,
  ...props
}: ButtonProps & { name: string; active: boolean; set: (active: boolean) => Promise<unknown> }) {
  const confirm = () => done(`${name} is switched ${active ? "off" : "on"}`, () => set(active));
  return (
    <Button {...props} onClick={() => set(!active).then(confirm, () => undefined)}>
      {active ? "Switch off" : "Switch on"}
    </Button>
  );
}
