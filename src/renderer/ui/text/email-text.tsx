import { Fragment } from 'react';

/** An email address: on a narrow screen, it wraps after its @ or a dot rather than inside a word. */
export function EmailText({ email }: { email: string }) {
  const parts = email.match(/[^@.]*[@.]|[^@.]+/g) ?? [];
  return (
    <span translate="no">
      {parts.map((part, index) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}
