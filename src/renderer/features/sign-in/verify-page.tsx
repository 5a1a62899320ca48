import { Navigate, useSearchParams } from 'react-router-dom';
import { readVerifyQuery } from './verify-path.ts';
import { VerifyForm } from './verify-form.tsx';

export function VerifyPage() {
  const [search] = useSearchParams();
  const query = readVerifyQuery(search);
  // Another code gets a new form: empty, with the focus in its field.
  return query ? <VerifyForm key={query.authId} {...query} /> : <Navigate to="/login" replace />;
}
