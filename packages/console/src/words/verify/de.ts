import type { VerifyWords } from './en.ts'

export const words: VerifyWords = {
  title: 'Prüfen',
  lead: 'Legen Sie einen Nachweis, einen Anker, eine Kette, eine Quittung oder eine beliebige Datei ab, oder geben Sie eine DID, einen Hash oder die Adresse einer Seite ein.',
  privacy:
    'Alles wird in diesem Browser geprüft, und nichts, was Sie ablegen, wird hochgeladen. Gelesen werden nur öffentliche Schlüssel, Einträge von Logs und Registrierungen, nach DID und Hash.',
  drop: 'Datei hier ablegen',
  choose: 'Datei wählen',
  paste: 'Oder einfügen, oder eine DID, einen Hash oder eine Adresse eingeben',
  check: 'Prüfen',
  checking: 'Wird geprüft …',
  options: 'Optionen',
  empty: 'Legen Sie eine Datei ab oder geben Sie etwas ein.',
}
