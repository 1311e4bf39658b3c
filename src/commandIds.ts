/** The commands, by what they do. */
export const CommandIds = {
  togglePanel: 'themisto-lab:toggle-panel',
  predictNextCell: 'themisto-lab:predict-next-cell',
  predictOutput: 'themisto-lab:predict-output',
  insertBelow: 'themisto-lab:insert-below',
  replace: 'themisto-lab:replace-cell',
  copy: 'themisto-lab:copy-next-cell',
  dismiss: 'themisto-lab:dismiss',
  toggleNotebook: 'themisto-lab:toggle-notebook',
  describeTask: 'themisto-lab:describe-task',
  pullModel: 'themisto-lab:pull-model',
  cancelPull: 'themisto-lab:cancel-pull',
  chooseModel: 'themisto-lab:choose-model',
  forget: 'themisto-lab:forget',
  openSettings: 'themisto-lab:open-settings',
  retry: 'themisto-lab:retry',
  acceptWord: 'themisto-lab:accept-word',
  acceptLine: 'themisto-lab:accept-line'
} as const;
