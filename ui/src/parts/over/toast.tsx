// A confirmation at the edge of the page, with an undo button if there is one.

import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { ApiError } from "#ui/api/client.ts";

const manager = Toast.createToastManager();

/** Shows a confirmation. `undo`: reverts it; if the API refuses, its message is shown instead. */
export function done(title: string, undo?: () => Promise<unknown>): void {
  const id = manager.add({
    title,
    // A toast with a decision stays longer than one to read.
    timeout: undo === undefined ? 4_000 : 10_000,
    ...(undo === undefined
      ? {}
      : {
          actionProps: {
            children: "Undo",
            onClick: () => {
              manager.close(id);
              undo().then(
                () => manager.add({ title: "Undone", timeout: 3_000 }),
                (error: unknown) =>
                  manager.add({
                    title: error instanceof ApiError ? error.message : "It could not be undone.",
                    priority: "high",
                    timeout: 10_000,
                  }),
              );
            },
          },
        }),
  });
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" swipeDirection={["down", "right"]}>
      <Toast.Content className="toast-content">
        <div>
          <Toast.Title render={<p />} className="title" />
        </div>
        {toast.actionProps === undefined ? null : <Toast.Action className="button bare" />}
        <Toast.Close className="button bare" aria-label="Dismiss">
          <X aria-hidden="true" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

/** Where toasts appear; once per page. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
