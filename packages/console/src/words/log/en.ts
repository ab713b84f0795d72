export const words = {
  title: 'Transparency logs',
  lead: 'Two logs hold what the services may not change later: the anchors, and every update of the key directory. Each only ever grows. This page verifies the signature of the newest checkpoint, and that everything from your last visit is still there.',
  fingerprint: 'Fingerprint',
  compareFingerprint:
    'Compare it, all 32 digits, with what the operator publishes elsewhere: on paper, on a page of theirs, or by telephone. If it is the same, so is every key of the deployment: each is on a list that these keys signed.',
  signers: (threshold: number, keys: number) =>
    keys === 1 ? 'One key signs the list.' : `${threshold} of ${keys} keys have to sign the list.`,
  pinnedNow: 'This browser has pinned them at this visit, and refuses others from now on.',
  pinnedBefore: 'This browser pinned them at an earlier visit.',
  proposed: (threshold: number, keys: number) =>
    `The list proposes ${keys === 1 ? 'one witness' : `${keys} witnesses`}; ${threshold} should agree. You need not trust them: programs demand those that you name.`,
  noList: 'The deployment has no signed list of keys.',
  anchors: 'Log of anchors',
  transparency: 'Log of the key directory',
  name: 'Log',
  size: 'Entries',
  root: 'Root',
  signedAt: 'Signed',
  witnesses: 'Witnesses',
  witnessed: (count: number) =>
    count === 0
      ? 'No witness has cosigned this checkpoint.'
      : count === 1
        ? 'One witness has cosigned it.'
        : `${count} witnesses have cosigned it.`,
  isListed: 'The key of the log is on the list that the deployment’s list keys signed.',
  firstVisit: 'This is your first visit. The next one will check that nothing was changed or left out since.',
  unchanged: (at: string) => `Nothing was added since your last visit, ${at}.`,
  grown: (added: number, at: string) =>
    `${added === 1 ? 'One entry was' : `${added} entries were`} added since your last visit, ${at}. Everything from then is still there, unchanged: the log proved it.`,
  contradicts: 'The log contradicts what it showed before. Keep both checkpoints and ask the operator.',
  other: 'A new log has opened since your last visit. It continues the one that was closed.',
  treeTitle: (size: number) => `Tree of ${size} entries`,
  treeText: 'Each triangle is a complete subtree. The darker part is what you saw at your last visit.',
  subtree: (leaves: number) => (leaves === 1 ? '1 entry' : `${leaves} entries`),
  emptyTree: 'The log has no entries yet.',
  growthTitle: 'Growth over your visits',
  growthText: (first: number, last: number) => `From ${first} entries at the first visit to ${last} now.`,
  list: 'All logs',
  listLead: 'A log is closed after its period, and the next one continues it.',
  series: { anchors: 'Anchors', transparency: 'Key directory' },
  states: { announced: 'Announced', open: 'Open', closed: 'Closed' },
  state: 'State',
  opened: 'Opened',
  compare: 'Copy both checkpoints',
  compareLead: 'To have the same checked elsewhere: paste them at Verify, or give them to svc verify.',
  forget: 'Forget my visits',
}
export type LogWords = typeof words
