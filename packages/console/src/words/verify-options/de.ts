import type { VerifyOptionsWords } from './en.ts'

export const words: VerifyOptionsWords = {
  expectedDid: 'DID, der es gehören muss',
  expectedDidHint: 'Ohne sie sagt der Nachweis selbst, wem er gehört.',
  logKey: 'Schlüssel des Logs, aus anderer Quelle',
  content: 'Inhalt, um den es gehen muss',
  offline: 'Niemanden fragen: nur benutzen, was hier ist',
}
