import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/use-api.ts';
import { Meter } from '../../ui/pictures/meter.tsx';
import { useUser } from '../session/use-user.ts';

/** How many of the plan's seats are taken; nothing if that is not known. */
export function SeatsMeter({ label }: { label: string }) {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const { data: service } = useApi('myService');
  if (!user || !service || service.seats === 0) return null;
  const { seatsUsed: used } = user.profile;
  const { seats: total } = service;
  return <Meter label={label} used={used} total={total} text={t('account.seatsUsed', { used, total })} />;
}
