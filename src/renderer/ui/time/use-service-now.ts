import { useStore } from 'zustand';
import { serviceOffset } from '../../platform/service-time.ts';
import { useNow } from './use-now.ts';

/** The time by the service's clock, for times that the service has set; see use-now.ts. */
export const useServiceNow = (everySeconds: number): number => useNow(everySeconds) + useStore(serviceOffset);
