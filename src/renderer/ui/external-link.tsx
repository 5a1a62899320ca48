import type { ReactNode } from 'react';
import { webAddress } from '../platform/web-address.ts';
import { useHost } from '../platform/host-context.tsx';

/** A link that leaves the app: the host opens it, in the system's browser or another tab. Only a web address is one. */
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
  const address = webAddress(href);
  if (address === undefined) return <span className={className}>{children}</span>;
  return (
    <a
      href={address}
      className={className}
      rel="noreferrer noopener"
      onClick={(event) => {
        event.preventDefault();
        void host.app.openExternal(address);
      }}
    >
      {children}
    </a>
  );
}
