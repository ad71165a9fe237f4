// Confirmations at the edge of the page, with an undo button if there is one.

import { X } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { ApiError } from "#ui/api/client.ts";
import { createListeners } from "#ui/api/listeners.ts";
import { Button } from "#ui/parts/button.tsx";

interface Toast {
  id: number;
  title: string;
  undo?: (() => Promise<unknown>) | undefined;
}

/** Older ones make room for new ones. */
const maxShown = 3;
let shown: readonly Toast[] = [];
let lastId = 0;
const changes = createListeners();

function show(toasts: readonly Toast[]): void {
  shown = toasts.slice(-maxShown);
  changes.call();
}

/** Shows a confirmation. `undo`: reverts it; if the API refuses, its message is shown instead. */
export function done(title: string, undo?: () => Promise<unknown>): void {
  lastId += 1;
  show([...shown, { id: lastId, title, undo }]);
}

const remove = (id: number) => show(shown.filter((toast) => toast.id !== id));

async function revert({ id, undo }: Toast): Promise<void> {
  remove(id);
  try {
    await undo?.();
    done("Undone");
  } catch (error) {
    done(error instanceof ApiError ? error.message : "It could not be undone.");
  }
}

function Shown({ toast }: { toast: Toast }) {
  const { id, title, undo } = toast;
  useEffect(() => {
    // A toast with a decision stays longer than one to read; one that is being used stays.
    const timer = setInterval(
      () => document.querySelector(".toasts:hover, .toasts:focus-within") === null && remove(id),
      undo === undefined ? 4_000 : 10_000,
    );
    return () => clearInterval(timer);
  }, [id, undo]);
  return (
    <div className="toast">
      <p>{title}</p>
      {undo === undefined ? null : (
        <Button look="bare" onClick={() => void revert(toast)}>
          Undo
        </Button>
      )}
      <Button look="bare" aria-label="Dismiss" onClick={() => remove(id)}>
        <X aria-hidden="true" />
      </Button>
    </div>
  );
}

/** Where toasts appear; once per page. It is there before they are, so that screen readers announce them. */
export function Toasts() {
  const toasts = useSyncExternalStore(changes.listen, () => shown);
  return (
    <section className="toasts" role="status" aria-label="Notifications">
      {toasts.map((toast) => (
        <Shown key={toast.id} toast={toast} />
      ))}
    </section>
  );
}
