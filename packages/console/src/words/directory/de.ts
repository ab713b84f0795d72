import type { DirectoryWords } from './en.ts'

export const words: DirectoryWords = {
  title: 'Schlüsselverzeichnis',
  lead: 'Die Schlüssel, an die andere verschlüsseln. Alles Veröffentlichte steht in einem öffentlichen Log: Das Verzeichnis kann Ihren Kontakten keine anderen Schlüssel zeigen, ohne einen Beweis dafür zu hinterlassen.',
  whose: 'Wessen Schlüssel?',
  did: 'DID',
  lookUp: 'Nachschlagen',
  audit: 'Prüfung',
  complete: 'Das Log beweist, dass nichts fehlt: Die Liste unten sehen alle so.',
  behind:
    'Eben wurde etwas veröffentlicht, das die Karte der Konten noch nicht hat. Sehen Sie in einigen Sekunden wieder nach.',
  updates: 'Änderungen',
  nothing: 'keine: Das Log beweist, dass das Konto nichts veröffentlicht hat',
  count: (count: number) => (count === 1 ? '1 Änderung' : `${count} Änderungen`),
  log: 'Log',
  checkpoint: 'Stand',
  entries: (size: number, at: string) => `${size} Einträge am ${at}`,
  witnesses: 'Zeugen',
  noWitness: 'Kein Zeuge hat diesen Stand signiert. Nur das Verzeichnis selbst steht dafür ein.',
  logAndMap: 'hat das Log und die Karte der Konten nachgerechnet',
  logOnly: 'hat das Log nachgerechnet',
  devices: 'Geräte',
  noDevices: 'Kein Gerät hat Schlüssel veröffentlicht.',
  package: (profile: string, version: number) => `${profile}, Version ${version}`,
  revoked: 'widerrufen',
}
