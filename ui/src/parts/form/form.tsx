// One way to change something: a form over one operation, with its errors, its leave guard and its confirmation.

import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, type RefObject, use, useEffect, useRef, useState } from "react";
import type { ApiError, Input, OperationName, Output } from "#ui/api/client.ts";
import { useChange } from "#ui/api/queries.ts";
import { Foot } from "#ui/parts/over/foot.tsx";
import { LeaveQuestion, TouchedInDialog } from "#ui/parts/over/leave-question.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Problem } from "#ui/parts/page.tsx";
import type { TitleOf } from "#ui/words/faults.ts";
import { faultAt } from "./field.tsx";

/** The state of its operation that the form itself shows. */
export interface FormFace {
  error: ApiError | null;
  isBusy: boolean;
  /** Whether there is unsent input. */
  isTouched: RefObject<boolean>;
}

export interface FormState<N extends OperationName> extends FormFace {
  /** The API's message about the field of this path, or null. */
  fault: (path: string) => string | null;
  send: (input: Input<N>) => void;
  reset: () => void;
}

/** A form over one operation. `says`: the confirmation at the edge of the page; `onDone` receives the answer. */
export function useForm<N extends OperationName>(
  name: N,
  { says, onDone }: { says?: string; onDone?: (reply: Output<N>) => unknown } = {},
): FormState<N> {
  const change = useChange(name);
  const isTouched = useRef(false);
  const [leadsOn, setLeadsOn] = useState(false);
  return {
    error: change.error,
    isBusy: change.isPending || leadsOn,
    isTouched,
    fault: (path) => faultAt(change.error, path),
    send: (input) =>
      change.mutate(input, {
        onSuccess: (reply) => {
          isTouched.current = false;
          if (says !== undefined) done(says);
          change.reset();
          setLeadsOn(true);
          void Promise.resolve(onDone?.(reply)).finally(() => setLeadsOn(false));
        },
      }),
    reset: change.reset,
  };
}

/** Asks before a person leaves unsent input. */
function LeaveGuard({ isTouched }: { isTouched: RefObject<boolean> }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isTouched.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => isTouched.current,
    withResolver: true,
  });
  const dialog = use(TouchedInDialog);
  useEffect(() => {
    if (dialog === null) return;
    dialog.current = () => isTouched.current;
    return () => {
      dialog.current = () => false;
    };
  }, [dialog, isTouched]);
  return (
    <LeaveQuestion
      open={blocker.status === "blocked"}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}

/** Opens the collapsed parts of the form around an element: a hidden element cannot have the focus. */
function unfold(element: Element): void {
  const part = element.closest<HTMLDetailsElement>("details:not([open])");
  if (part === null) return;
  part.open = true;
  unfold(element);
}

/**
 * The form itself. After a refusal, including the browser's own, the first field with an error gets the focus, or else the API's message.
 * `guard` false: leaving loses nothing. `reload`: opens it again over the stored values, if another change came first. `more`: what is
 * beside its button. `titleOf`: what it calls its fields.
 */
export function Form({
  of: { error, isBusy, isTouched },
  onSubmit,
  verb,
  quiet = false,
  guard = true,
  reload,
  more,
  titleOf,
  children,
}: {
  of: FormFace;
  onSubmit: () => void;
  verb: string;
  quiet?: boolean;
  guard?: boolean;
  reload?: (() => Promise<void>) | undefined;
  more?: ReactNode;
  titleOf?: TitleOf;
  children: ReactNode;
}) {
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === null) return;
    const first = ref.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    if (first) unfold(first);
    (first ?? ref.current?.querySelector<HTMLElement>("[role=alert]"))?.focus();
  }, [error]);
  return (
    <form
      ref={ref}
      className="form"
      onInput={() => {
        isTouched.current = true;
      }}
      // The browser neither reports nor sends anything about collapsed fields.
      onInvalidCapture={(event) => unfold(event.target as HTMLElement)}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <Problem
        error={error}
        titleOf={titleOf}
        reload={
          reload &&
          (async () => {
            isTouched.current = false;
            await reload();
          })
        }
      />
      <Foot verb={verb} look={quiet ? "quiet" : "first"} isOff={isBusy} more={more} />
      {guard ? <LeaveGuard isTouched={isTouched} /> : null}
    </form>
  );
}
