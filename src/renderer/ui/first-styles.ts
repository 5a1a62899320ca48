// What every page needs, the first one included. The layers' order is said in index.html: of what is loaded on demand,
// a style sheet may stand before these in the document.
import './base.css';
import '@mantine/core/styles/baseline.layer.css';
import './theme.css';
