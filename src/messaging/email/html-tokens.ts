// HTML as a stream of tags and texts. No tree and no stack, so that it costs the same per byte however deep or broken
// the HTML is: a parser that keeps open elements takes minutes for a million of them.

import { Tokenizer } from "htmlparser2";

export interface TagReader {
  /** `attribute` gives the value of one by its lower-case name, entities decoded; of two of a name the first. */
  open(name: string, attribute: (name: string) => string | undefined): void;
  close(name: string): void;
  /** Entities decoded; a piece of text may come in several parts, but in few where it has none. */
  text(text: string): void;
}

/** Reads a whole document or any piece of one. Never throws. */
export function readTags(html: string, reader: TagReader): void {
  let name = "";
  let attributes: Map<string, string> | null = null;
  let attribute = "";
  let value = "";
  /** Text that was not given on yet: to the tokenizer each angle bracket that opens no tag is a text of its own. */
  let textStart = 0;
  let textEnd = 0;
  const endText = () => {
    if (textEnd > textStart) reader.text(html.slice(textStart, textEnd));
    textStart = textEnd;
  };
  const attributeOf = (asked: string) => attributes?.get(asked);
  const opened = () => {
    endText();
    reader.open(name, attributeOf);
    attributes = null;
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase();
        attributes = null;
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata(start, end) {
        value += html.slice(start, end);
      },
      onattribentity(codePoint) {
        value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        attributes ??= new Map();
        if (!attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag(start, end) {
        endText();
        reader.close(html.slice(start, end).toLowerCase());
      },
      ontext(start, end) {
        if (start !== textEnd) {
          endText();
          textStart = start;
        }
        textEnd = end;
      },
      ontextentity(codePoint) {
        endText();
        reader.text(String.fromCodePoint(codePoint));
      },
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend: endText,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
