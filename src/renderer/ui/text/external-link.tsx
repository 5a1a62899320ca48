import { IconExternalLink } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { webAddress } from '#shared/host/web-address.ts';
import { useHost } from '../../platform/host-context.tsx';

/**
 * A link out of the app, which it says (WCAG 2.2, technique G201): the host opens it in the system's browser or another
 * tab. Only web addresses are allowed.
 */
export function ExternalLink({
  href,
  className,
  children,
  ...props
}: ComponentProps<'a'> & { href: string }) {
  const { t } = useTranslation();
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
      <IconExternalLink
        size="1.15em"
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing in the page
        role="img"
        aria-label={t('shell.newWindow')}
        style={{ flex: 'none', marginInlineStart: 4, verticalAlign: 'text-bottom' }}
      />
    </a>
  );
}
