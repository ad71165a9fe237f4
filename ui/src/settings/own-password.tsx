import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { Section } from "#ui/parts/page.tsx";

/** The password of the signed-in person. */
export function OwnPassword() {
  const form = useForm("changePassword", {
    says: "Your password was changed",
    onDone: () => {
      clear();
    },
  });
  const { texts, field, clear } = useTexts(form, { current_password: "", password: "" });
  return (
    <Section title="Your password" about="You sign in to the dashboard with it.">
      <Form
        of={form}
        verb="Change the password"
        quiet
        guard={false}
        onSubmit={() => form.send({ body: texts })}
      >
        <TextField
          label="Current password"
          type="password"
          required
          autoComplete="current-password"
          {...field("current_password")}
        />
        <TextField
          label="New password"
          hint="At least 12 characters."
          type="password"
          required
          minLength={12}
          autoComplete="new-password"
          {...field("password")}
        />
      </Form>
    </Section>
  );
}
