import { useState } from "react";

/** Copies a text, and says so in place. */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [message, setMessage] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setMessage("Copied");
    } catch {
      setMessage("Select the text and copy it by hand");
    }
    setTimeout(() => setMessage(null), 1_500);
  };
  return (
    <button type="button" className="button plain" onClick={copy}>
      <span aria-live="polite">{message ?? label}</span>
    </button>
  );
}

/** A text to be taken elsewhere: an id, a URL, a command. */
export function Snippet({ text, block = false }: { text: string; block?: boolean }) {
  if (block)
    return (
      <div className="stack tight">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
        <pre tabIndex={0}>{text}</pre>
        <div>
          <Copy text={text} />
        </div>
      </div>
    );
  return (
    <span>
      <code>{text}</code> <Copy text={text} />
    </span>
  );
}
