import { Navigate, useLocation } from 'react-router-dom';

/** `/` is the dashboard, and so is what its fragment names: /#download. */
export function HomeRedirect() {
  const { hash } = useLocation();
  return <Navigate to={{ pathname: '/dashboard', hash }} replace />;
}
