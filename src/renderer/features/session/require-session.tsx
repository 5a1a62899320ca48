import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { returnState } from './return-path.ts';
import { useSession } from './session-context.tsx';

/** Routes below this one need a signed-in user; others go to /login with a return state. */
export function RequireSession() {
  const { signedIn } = useSession();
  const location = useLocation();
  if (signedIn) return <Outlet />;
  return <Navigate to="/login" replace state={returnState(location)} />;
}
