// One way to change something: a form over one operation, with its faults, its guard and its word when it is done.

import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, type RefObject, use, useEffect, useRef } from "react";
import type { ApiError, Input, OperationName, Output } from "#ui/api/client.ts";
import { useChange } from "#ui/api/queries.ts";
import { LeaveQuestion, TouchedInDialog } from "#ui/parts/over/leave-question.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Problem } from "#ui/parts/page.tsx";
import { faultAt } from "./field.tsx";

/** What the form itself shows of its operation. */
export interface FormFace {
  error: ApiError | null;
  isBusy: boolean;
  /** Whether something was entered that has not been sent. */
  isTouched: RefObject<boolean>;
}

export interface FormState<N extends OperationName> extends FormFace {
  /** What the API says about the field of this path, or null. */
  fault: (path: string) => string | null;
  send: (input: Input<N>) => void;
  reset: () => void;
}

/**
 * A form over one operation. `says`: the word at the edge of the page when it is done;
 * `onDone` gets the answer.
 */
export function useForm<N extends OperationName>(
  name: N,
  { says, onDone }: { says?: string; onDone?: (reply: Output<N>) => unknown } = {},
): FormState<N> {
  const change = useChange(name);
  const isTouched = useRef(false);
  return {
    error: change.error,
    isBusy: change.isPending,
    isTouched,
    fault: (path) => faultAt(change.error, path),
    send: (input) =>
      change.mutate(input, {
        onSuccess: (reply) => {
          isTouched.current = false;
          if (says !== undefined) done(says);
          change.reset();
          void onDone?.(reply);
        },
      }),
    reset: change.reset,
  };
}

/** Asks before a person leaves what was entered. */
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

/** Opens the parts of the form that are folded over an element: what is out of sight can have no focus. */
function unfold(element: Element): void {
  const part = element.closest<HTMLDetailsElement>("details:not([open])");
  if (part === null) return;
  part.open = true;
  unfold(element);
}

/**
 * The form itself. After a refusal, also the browser's own, the first field with a fault has the focus, or else what the API says. `guard` false: leaving
 * loses nothing. `reload`: opens it anew over what is stored by now, when another change was ahead. `more`: what is beside its button.
 */
export function Form({
  of: { error, isBusy, isTouched },
  onSubmit,
  verb,
  quiet = false,
  guard = true,
  reload,
  more,
  children,
}: {
  of: FormFace;
  onSubmit: () => void;
  verb: string;
  quiet?: boolean;
  guard?: boolean;
  reload?: () => Promise<void>;
  more?: ReactNode;
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
      // Of what is folded away a browser says nothing, and sends nothing either.
      onInvalidCapture={(event) => unfold(event.target as HTMLElement)}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <Problem
        error={error}
        {...(reload === undefined
          ? {}
          : {
              reload: async () => {
                isTouched.current = false;
                await reload();
              },
            })}
      />
      <div className="row">
        <button type="submit" className={quiet ? "button" : "button first"} disabled={isBusy}>
          {verb}
        </button>
        {more}
      </div>
      {guard ? <LeaveGuard isTouched={isTouched} /> : null}
    </form>
  );
}
