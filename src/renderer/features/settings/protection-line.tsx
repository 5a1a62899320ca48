import { IconChevronRight, IconShield, IconShieldCheck } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Preferences } from '#shared/host/preferences.ts';
import { automaticMode } from '#shared/tunnel/route-config.ts';
import { useApp } from '../../platform/host-context.tsx';
import classes from './protection-line.module.css';
import { usePreferences } from '../preferences/use-preferences.ts';
import { Link } from '../../ui/text/link.tsx';

/** The settings for routing and protection in one line, which links to them. */
export function ProtectionLine() {
  const { t } = useTranslation();
  const { kind, routingModes } = useApp();
  const { preferences } = usePreferences();
  const canRoute = automaticMode(routingModes) !== undefined;
  if (!preferences || (kind !== 'desktop' && !canRoute)) return null;
  const { killSwitch } = preferences;
  const Icon = killSwitch ? IconShieldCheck : IconShield;
  const words = [
    ...(canRoute ? [routingWords(preferences, t)] : []),
    ...(kind === 'desktop' ? [t(killSwitch ? 'protection.on' : 'protection.off')] : []),
  ];
  return (
    <Link to="/settings" className={classes.line}>
      <Icon size={20} stroke={1.8} aria-hidden />
      <span className={classes.words}>{words.join('\u00a0· ')}</span>
      <IconChevronRight size={18} aria-hidden />
    </Link>
  );
}

/** If nothing is chosen, all traffic goes through the tunnel. */
function routingWords({ routing, apps: programs, addresses }: Preferences, t: TFunction): string {
  if (routing === 'app' && programs) {
    const count = programs.ids.length;
    if (count === 0) return t('routing.globalLine');
    return t(programs.policy === 'include' ? 'routing.appIncludeLine' : 'routing.appExcludeLine', { count });
  }
  if (routing === 'address' && addresses) {
    if (addresses.countries.length + addresses.prefixes.length === 0) return t('routing.globalLine');
    return t(addresses.policy === 'include' ? 'routing.addressIncludeLine' : 'routing.addressExcludeLine');
  }
  return t(`routing.${routing}Line`);
}
