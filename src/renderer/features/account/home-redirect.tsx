import { Navigate, useLocation } from 'react-router-dom';

/** `/` shows the dashboard, including the part that its fragment names: /#download. */
export function HomeRedirect() {
  const { hash } = useLocation();
  return <Navigate to={{ pathname: '/dashboard', hash }} replace />;
}
