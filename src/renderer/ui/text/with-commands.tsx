import { Fragment, type ReactNode } from 'react';
import classes from './commands.module.css';

/** Commands for a terminal, as texts quote them in every language. */
const quoted = /[“「]([a-z][\x20-\x7e]*)[”」]/;

/** Where a path may go on in the next line: after each slash but its first. */
const afterSlash = /(?<=[^/]\/)/;

/** A text whose commands are formatted as such: without their quotation marks, on one line where they fit. */
export function withCommands(text: string): ReactNode {
  return text
    .split(quoted)
    .map((part, index) => (index % 2 === 0 ? part : <Command key={index} words={part.split(' ')} />));
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
