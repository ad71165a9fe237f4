import { type ReactNode, useState } from "react";
import { Form, type FormFace } from "#ui/parts/form/form.tsx";
import { changesOf, type Schema, type Values } from "./model.ts";
import { SchemaForm } from "./schema-form.tsx";
import { titlesOf } from "./words.ts";

/**
 * A form whose fields come from a schema. `stored`: the thing that it changes; `onSubmit` receives the changed fields, or all fields of a
 * new thing. `start`: the initial fields of a new thing. `children` are above the fields, `below` is below them.
 */
export function ValuesForm({
  of,
  schema,
  stored,
  start = {},
  folds = false,
  onSubmit,
  below,
  children,
  ...form
}: {
  of: FormFace;
  verb: string;
  schema: Schema;
  stored?: Values | undefined;
  start?: Values;
  folds?: boolean;
  onSubmit: (values: Values) => void;
  reload?: (() => Promise<void>) | undefined;
  more?: ReactNode;
  below?: (values: Values) => ReactNode;
  children?: ReactNode;
}) {
  const [values, setValues] = useState<Values>(stored ?? start);
  return (
    <Form
      of={of}
      onSubmit={() => onSubmit(stored === undefined ? values : changesOf(schema, stored, values))}
      titleOf={titlesOf(schema)}
      {...form}
    >
      {children}
      <SchemaForm
        schema={schema}
        path=""
        values={values}
        error={of.error}
        folds={folds}
        onChange={setValues}
      />
      {below?.(values)}
    </Form>
  );
}
