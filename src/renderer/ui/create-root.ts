// Here, so that React's own file runs by itself, and not from within the much longer one of the pages.
export { createRoot } from 'react-dom/client';
