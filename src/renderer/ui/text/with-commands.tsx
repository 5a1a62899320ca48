import { Fragment, type ReactNode } from 'react';
import classes from './commands.module.css';

/** Commands for a terminal, as texts quote them in every language. */
const quoted = /[“「]([a-z][\x20-\x7e]*)[”」]/;

/** Where a path may go on in the next line: after each slash but its first. */
const afterSlash = /(?<=[^/]\/)/;

/**
 * A text whose commands are formatted as such: without their quotation marks, on one line where they fit. Each text is
 * alone in its element, so that React replaces it even where the browser has put its translation in its place.
 */
export function withCommands(text: string): ReactNode {
  const parts = text.split(quoted);
  if (parts.length === 1) return text;
  return parts.map((part, index) =>
    index % 2 === 0 ? <span key={index}>{part}</span> : <Command key={index} words={part.split(' ')} />,
  );
}

function Command({ words }: { words: readonly string[] }) {
  return (
    <code className={classes.command} translate="no">
      {words.map((word, index) => (
        <Fragment key={index}>
          {index > 0 && ' '}
          <Word parts={word.split(afterSlash)} />
        </Fragment>
      ))}
    </code>
  );
}

function Word({ parts }: { parts: readonly string[] }) {
  return (
    <span className={classes.word}>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          <span className={classes.part}>{part}</span>
        </Fragment>
      ))}
    </span>
  );
}
