import { LabIcon } from '@jupyterlab/ui-components';

// A cell that is there, and one below it that is only outlined. The classes let the theme colour it.
const svg = `
<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M5 3h14a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5c0-1.100.900-2 2-2zm0 2v4h14V5H5z"/>
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M5 13h3v2H5v2H3v-2c0-1.100.900-2 2-2zm5 0h4v2h-4v-2zm6 0h3a2 2 0 0 1 2 2v2h-2v-2h-3v-2zM3 19h2v2a2 2 0 0 1-2-2zm2 0v2h3v-2H5zm5 0h4v2h-4v-2zm6 0h5a2 2 0 0 1-2 2h-3v-2z"/>
</svg>`;

export const themistoIcon = new LabIcon({
  name: 'themisto-lab:icon',
  svgstr: svg
});
