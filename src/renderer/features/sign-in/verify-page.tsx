import { Navigate, useSearchParams } from 'react-router-dom';
import { readVerifyQuery } from './verify-path.ts';
import { VerifyForm } from './verify-form.tsx';

export function VerifyPage() {
  const [search] = useSearchParams();
  const query = readVerifyQuery(search);
  return query ? <VerifyForm {...query} /> : <Navigate to="/login" replace />;
}
