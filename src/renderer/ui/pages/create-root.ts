// In a file of its own, so that React's code runs separately from the much longer code of the pages.
export { createRoot } from 'react-dom/client';
