// Styles for every page, including the first. index.html defines the order of the layers, because style sheets that are
// loaded on demand may come before these in the document.
import './base.css';
import '@mantine/core/styles/baseline.layer.css';
import './theme.css';
