// The settings of a gateway: those of its kind, and those that all gateways have, from the API's own schemas.

import type { ComponentProps } from "react";
import forms from "#ui/api/forms.json";
import type { Gateway, GatewayKind } from "#ui/api/schema.ts";
import { type Schema, withSettings } from "#ui/schema-form/model.ts";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";

/** `onSubmit` receives the input for a new gateway, and otherwise only the changes. */
export function GatewayForm({
  kind,
  gateway,
  children,
  ...form
}: Pick<ComponentProps<typeof ValuesForm>, "of" | "verb" | "onSubmit" | "reload" | "children"> & {
  kind: GatewayKind;
  gateway?: Gateway;
}) {
  return (
    <ValuesForm
      {...form}
      schema={withSettings(forms.gateway as Schema, kind.settings)}
      stored={gateway}
      start={{ settings: {} }}
      folds={gateway === undefined}
    >
      {children}
      <div className="stack tight">
        <h2>{kind.title}</h2>
        <p className="soft">{kind.summary}</p>
      </div>
    </ValuesForm>
  );
}
