import { useTranslation } from 'react-i18next';
import type { Server } from '#shared/entities.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { countryName } from '../../i18n/country-name.ts';
import { cityBesideName } from './server-place.ts';

/** Where a server is, in the user's language, without repeating its name; undefined if its operator does not say. */
export function useServerPlace(server: Server | undefined): string | undefined {
  const { t } = useTranslation();
  const language = useLanguageTag();
  if (!server) return undefined;
  const city = cityBesideName(server);
  if (server.country === undefined) return city;
  const country = countryName(server.country, language);
  return city === undefined || city === country ? country : t('servers.place', { city, country });
}
