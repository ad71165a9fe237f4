import { Check, Copy as CopySign } from "lucide-react";
import { useState } from "react";
import { Button } from "#ui/parts/button.tsx";

/** Copies a text and confirms it in place. `brief`: only its icon. */
export function Copy({
  text,
  label = "Copy",
  brief = false,
}: {
  text: string;
  label?: string;
  brief?: boolean;
}) {
  const [message, setMessage] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setMessage("Copied");
    } catch {
      setMessage("Select the text and copy it manually");
    }
    setTimeout(() => setMessage(null), 1_500);
  };
  return (
    <Button look="plain" className={brief ? "soft" : ""} onClick={copy}>
      {brief ? message === null ? <CopySign aria-hidden="true" /> : <Check aria-hidden="true" /> : null}
      <span aria-live="polite" className={brief ? "unseen" : ""}>
        {message ?? label}
      </span>
    </Button>
  );
}

/** A text to copy: an id, a URL, a command. `label`: the name of its button. `cut`: one line of it, where there is more. */
export function Snippet({
  text,
  block = false,
  label = "Copy",
  cut = false,
}: {
  text: string;
  block?: boolean;
  label?: string;
  cut?: boolean;
}) {
  if (block)
    return (
      <div className="snippet">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
        <pre tabIndex={0} dir="auto">
          {text}
        </pre>
        <Copy text={text} />
      </div>
    );
  return (
    <span className="copied">
      <code title={text} className={cut ? "cut" : ""}>
        {text}
      </code>
      <Copy text={text} label={label} brief />
    </span>
  );
}
