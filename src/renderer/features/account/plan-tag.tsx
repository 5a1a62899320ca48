import { useTranslation } from 'react-i18next';
import { Tag } from '../../ui/text/tag.tsx';
import type { PlanState } from '#shared/plan/service-expiry.ts';

export function PlanTag({ state }: { state: PlanState }) {
  const { t } = useTranslation();
  switch (state) {
    case 'none':
      return null;
    case 'active':
      return <Tag tone="good">{t('account.active')}</Tag>;
    case 'expired':
      return <Tag tone="bad">{t('account.expired')}</Tag>;
    default:
      return state satisfies never;
  }
}
