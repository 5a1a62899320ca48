import { Button, type ButtonProps } from '@mantine/core';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/use-api.ts';
import { isMember } from '../session/is-member.ts';
import { useUser } from '../session/use-user.ts';
import { Link } from '../../ui/text/link.tsx';

/** A link to a first plan, or to more of the current one; not for members, since somebody else pays for their plan. */
export function ShopButton(
  look: Pick<ButtonProps, 'variant' | 'size' | 'fullWidth'> & { ref?: Ref<HTMLAnchorElement> },
) {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const { data: service } = useApi('myService');
  if (!user || isMember(user) || !service) return null;
  return (
    <Button component={Link} to="/purchase" {...look}>
      {t(service.expiredAt === null ? 'service.choose' : 'service.renew')}
    </Button>
  );
}
