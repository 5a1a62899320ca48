import { useEffect } from 'react';
import { useNavigate } from 'react-router-dom';
import { useHost } from '../platform/host-context.tsx';

/** Goes to the pages that are chosen in the app's own menu. */
export function useAppMenu(): void {
  const host = useHost();
  const navigate = useNavigate();
  useEffect(() => host.menu.pageChosen((page) => void navigate(page)), [host, navigate]);
}
