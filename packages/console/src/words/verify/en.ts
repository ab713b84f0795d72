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
  empty: 'Drop a file, or enter something to check.',
}
export type VerifyWords = typeof words
