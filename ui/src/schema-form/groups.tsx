// An object of groups with free names, such as prices by model.

import type { ReactNode } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import type { Schema, ValueProps, Values } from "./model.ts";
import { Named } from "./named.tsx";

interface Group {
  schema: Schema;
  path: string;
  values: Values;
  onChange: (values: Values) => void;
}

const none: Values = {};

/** `children`: renders the form of one group. */
export function Groups({ children, ...props }: ValueProps & { children: (group: Group) => ReactNode }) {
  return (
    <Named {...props} empty={none} verb="Add one">
      {({ key, value, nameField, fault, remove, onChange }) => (
        <fieldset>
          <legend>{key === "" ? "New" : key}</legend>
          <Field label="Name" fault={fault}>
            <input {...nameField} />
          </Field>
          {children({
            schema: props.schema.additionalProperties as Schema,
            path: `${props.path}.${key}`,
            values: value,
            onChange,
          })}
          <div>{remove}</div>
        </fieldset>
      )}
    </Named>
  );
}
