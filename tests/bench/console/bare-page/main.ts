import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

/** The least that React can do to offer a field for an email address. */
const root = document.getElementById('root');
if (root) createRoot(root).render(createElement('input', { type: 'email', 'aria-label': 'Email' }));
