import type { ChainWords } from './en.ts'

export const words: ChainWords = {
  title: 'Kette',
  lead: 'Alles, was Ihr Hauptschlüssel für Ihre Kette signiert hat, der Reihe nach. Nur Sie können es lesen.',
  verification: 'Prüfung',
  verifyLead: 'Prüfen Sie in diesem Browser, dass Ihre Schlüssel jeden Block signiert haben und keiner fehlt.',
  verify: 'Die ganze Kette prüfen',
  save: 'Als Datei sichern',
  progress: (done: number, total: number) => `${done} von ${total} Blöcken geprüft`,
  verified: 'Die Kette wurde geprüft.',
  valid: (count: number) =>
    `Alle ${count} Blöcke sind von Ihren Schlüsseln signiert und folgen aufeinander. Neuester Hash:`,
  blocks: 'Blöcke',
  block: (index: string) => `Block ${index}`,
  older: 'Ältere',
  newer: 'Neuere',
  hash: 'Hash',
  signature: 'Signatur',
  checking: 'Wird geprüft …',
  holds: 'gültig',
  fails: 'ungültig: Verlassen Sie sich nicht auf diesen Block',
  payload: 'Inhalt zeigen',
  bytes: (count: number) => `${count} Bytes`,
}
