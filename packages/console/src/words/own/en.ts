export const words = {
  title: 'Your identity',
  menu: 'Your pages',
  overview: 'Overview',
  consent: 'AI use',
  anchors: 'Anchors',
  chain: 'Chain',
  directory: 'Key directory',
  organization: 'Organizations',
  assets: 'Assets',
  unlock: 'Unlock',
  unlockLead: 'The key of this browser is encrypted. Open it with your passkey or passphrase.',
  needsRoot: 'Only the device with the root key can do this.',
  rootByPasskey: 'This needs the root key. Press the button again, and confirm with your passkey.',
  rootByPassphrase: 'This needs the root key. Enter its passphrase.',
}
export type OwnWords = typeof words
