export const words = {
  title: 'Verify',
  lead: 'Drop a proof, an anchor, a chain, a receipt or any file, or enter a DID, a hash or the address of a page.',
  privacy:
    'Everything is checked in this browser, and nothing that you drop is uploaded. Only public keys, log entries and registrations are read, by DID and hash.',
  drop: 'Drop a file here',
  choose: 'Choose a file',
  paste: 'Or paste it, or enter a DID, a hash or an address',
  check: 'Check',
  checking: 'Checking…',
  options: 'Options',
  expectedDid: 'DID that it must be of',
  expectedDidHint: 'Without it, the evidence itself says whose it is.',
  logKey: 'Key of the log, from another source',
  content: 'Content that it must be about',
  offline: 'Ask nobody: use only what is here',
  passphrase: 'Passphrase of the export',
  open: 'Open',
  exportLead: 'This is an encrypted export of keys. It is opened in this browser only; nothing is kept.',
  empty: 'Drop a file, or enter something to check.',
}
export type VerifyWords = typeof words
