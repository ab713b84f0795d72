export const words = {
  title: 'Identity',
  lead: 'What anybody can see of an identity. The keys, records and anchors are verified in this browser.',
  did: 'DID',
  open: 'Show',
  malformed: 'A DID of this platform is did:svc: and 32 letters, digits, hyphens or underscores.',
  copyDid: 'Copy the DID',
  verify: 'Verify it',
  state: 'State',
  states: {
    resolves: 'Registered: its document names the current root key.',
    absent: 'Not registered for resolution: no document names its keys. They are proved below all the same.',
    deactivated: 'Ended for good by its owner.',
  },
  created: 'Registered',
  keys: 'Root keys',
  keysLead: (count: number) =>
    count === 1
      ? 'One key, from which the DID is made. It was never replaced.'
      : `The DID is made from the first key. It was replaced ${count === 2 ? 'once' : `${count - 1} times`}, each time with proof by the key before.`,
  epoch: (epoch: number) => `Epoch ${epoch}`,
  current: 'Current',
  superseded: 'Superseded',
  rotation: 'Replacement of the root key',
  noRotation: 'No replacement was ever requested.',
  rotationOf: (epoch: number, at: string) => `A key for epoch ${epoch} was requested on ${at}.`,
  rotationStatus: {
    pending: 'It is waiting, and can still be stopped.',
    active: 'It took effect.',
    frozen: 'It was stopped, and never takes effect.',
    cancelled: 'It was cancelled, and never takes effect.',
    displaced: 'A request with more proof took its place.',
  },
  services: 'Services',
  noServices: 'Its document names no services.',
  anchors: 'Anchors',
  noAnchors: 'It has anchored nothing.',
  anchoredAt: (at: string) => `Anchored ${at}`,
  check: 'Check',
  consent: 'What machines may do',
  noConsent: 'It has declared nothing about its content.',
  more: (count: number) => `The first ${count} are shown.`,
}
export type ProfileWords = typeof words
