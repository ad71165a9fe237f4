// Settings of a gateway: those of its kind, and those that all gateways have, from the API's own schemas.

import { type ReactNode, useState } from "react";
import forms from "#ui/api/forms.json";
import type { Gateway, GatewayKind } from "#ui/api/schema.ts";
import { Form, type FormFace } from "#ui/parts/form/form.tsx";
import { changesOf, type Schema, type Values, withSettings } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";

/** `onSubmit` gets what was entered for a new gateway, and otherwise what of it changed. */
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
  reload?: () => Promise<void>;
  children?: ReactNode;
}) {
  const [values, setValues] = useState<Values>(gateway ?? { settings: {} });
  const schema = withSettings(forms.gateway as Schema, kind.settings);
  return (
    <Form
      of={of}
      verb={verb}
      onSubmit={() => onSubmit(gateway === undefined ? values : changesOf(schema, gateway, values))}
      {...(reload === undefined ? {} : { reload })}
    >
      {children}
      <div className="stack tight">
        <h2>{kind.title}</h2>
        <p className="soft">{kind.summary}</p>
      </div>
      <SchemaForm schema={schema} path="" values={values} error={of.error} folds onChange={setValues} />
    </Form>
  );
}
