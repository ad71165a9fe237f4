// The settings of a gateway: those of its kind, and those that all gateways have, from the API's own schemas.

import type { ReactNode } from "react";
import forms from "#ui/api/forms.json";
import type { Gateway, GatewayKind } from "#ui/api/schema.ts";
import type { FormFace } from "#ui/parts/form/form.tsx";
import { type Schema, type Values, withSettings } from "#ui/schema-form/model.ts";
import { ValuesForm } from "#ui/schema-form/values-form.tsx";

/** `onSubmit` receives the input for a new gateway, and otherwise only the changes. */
export function GatewayForm({
  kind,
  gateway,
  of,
  verb,
  onSubmit,
  reload,
  children,
}: {
  kind: GatewayKind;
  gateway?: Gateway;
  of: FormFace;
  verb: string;
  onSubmit: (values: Values) => void;
  reload?: (() => Promise<void>) | undefined;
  children?: ReactNode;
}) {
  return (
    <ValuesForm
      of={of}
      verb={verb}
      schema={withSettings(forms.gateway as Schema, kind.settings)}
      stored={gateway}
      start={{ settings: {} }}
      folds={gateway === undefined}
      onSubmit={onSubmit}
      reload={reload}
    >
      {children}
      <div className="stack tight">
        <h2>{kind.title}</h2>
        <p className="soft">{kind.summary}</p>
      </div>
    </ValuesForm>
  );
}
