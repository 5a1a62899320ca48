import type { ComponentProps } from 'react';
import { webAddress } from '#shared/host/web-address.ts';
import { useHost } from '../../platform/host-context.tsx';

/** A link out of the app: the host opens it in the system's browser or another tab. Only web addresses are allowed. */
export function ExternalLink({
  href,
  className,
  children,
  ...props
}: ComponentProps<'a'> & { href: string }) {
  const host = useHost();
  const address = webAddress(href);
  if (address === undefined) return <span className={className}>{children}</span>;
  return (
    <a
      {...props}
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
