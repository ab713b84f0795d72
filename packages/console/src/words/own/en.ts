export const words = {
  title: 'Your identity',
  menu: 'Your pages',
  overview: 'Overview',
  capsules: 'Capsules',
  consent: 'AI use',
  anchors: 'Anchors',
  chain: 'Chain',
  directory: 'Key directory',
  organization: 'Organizations',
  assets: 'Assets',
  payments: 'Plan',
  unlock: 'Unlock',
  unlockLead: 'The key of this browser is encrypted. Open it with your passkey or passphrase.',
  needsRoot: 'Only the device with the root key can do this.',
}
export type OwnWords = typeof words
