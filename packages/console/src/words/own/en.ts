export const words = {
  title: 'Your identity',
  menu: 'Your pages',
  overview: 'Overview',
  notes: 'Notes',
  inbox: 'Inbox',
  backup: 'Backup',
  unlock: 'Unlock',
  unlockLead: 'The key of this browser is encrypted. Open it with your passkey or passphrase.',
  needsRoot: 'Only the device with the root key can do this.',
}
export type OwnWords = typeof words
