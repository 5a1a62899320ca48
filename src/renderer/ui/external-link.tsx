import type { ReactNode } from 'react';
import { useHost } from '../platform/host-context.tsx';

/** A link that leaves the app: the host opens it, in the system's browser or another tab. */
export function ExternalLink({
  href,
  className,
  children,
}: {
  href: string;
  className?: string;
  children: ReactNode;
}) {
  const host = useHost();
  return (
    <a
      href={href}
      className={className}
      rel="noreferrer noopener"
      onClick={(event) => {
        event.preventDefault();
        void host.app.openExternal(href);
      }}
    >
      {children}
    </a>
  );
}
