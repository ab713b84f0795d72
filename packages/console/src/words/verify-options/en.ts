export const words = {
  expectedDid: 'DID that it must be of',
  expectedDidHint: 'Without it, the evidence itself says whose it is.',
  logKey: 'Key of the log, from another source',
  content: 'Content that it must be about',
  offline: 'Ask nobody: use only what is here',
}
export type VerifyOptionsWords = typeof words
