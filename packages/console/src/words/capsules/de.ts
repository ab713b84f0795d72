import type { CapsuleWords } from './en.ts'

export const words: CapsuleWords = {
  title: 'Was Sie geschaffen haben',
  lead: 'Registrieren Sie ein Bild, ein Video oder einen Text, damit andere es zu einer Kopie finden und Sie beweisen können, dass Sie es hatten. Nur Hashes und Fingerabdrücke verlassen diesen Browser.',
  choose: 'Ihr Inhalt',
  text: 'Text',
  file: 'Oder eine Datei',
  fileHint: 'Sie wird in diesem Browser gelesen und nicht hochgeladen.',
  chosen: (name, size) => `Gewählt: ${name}, ${size} kB.`,
  nothing: 'Geben Sie einen Text ein oder wählen Sie eine Datei.',
  register: 'Signieren und registrieren',
  commit: 'Festlegen, ohne es zu zeigen',
  search: 'Kopien suchen',
  about: {
    register: 'Registrieren ist öffentlich: Alle können den Hash nachschlagen und nach Ähnlichem suchen.',
    commit: 'Eine Festlegung ist ein Hash mit Salt. Sie verrät nichts über den Inhalt, bis Sie ihn zeigen.',
  },
  onlyMedia: 'Registrieren lassen sich Bilder, Videos und Texte. Auf alles andere können Sie sich festlegen.',
  tooShort: 'Das ist zu wenig Text oder Detail, um es von anderem zu unterscheiden.',
  taken: 'Sie haben diese Datei schon registriert, mit einer anderen Kapsel.',
  result: 'Ergebnis',
  registered: 'Es ist registriert.',
  duplicate: 'Sie hatten es schon registriert. Das hat nichts gekostet.',
  position: (position) =>
    position === 1
      ? 'Niemand hatte diese Datei vorher registriert.'
      : `Es ist die ${position}. Registrierung dieser Datei.`,
  notSearchable: 'Für die Suche hat es zu wenig Details: Nur der Hash führt zu ihm.',
  id: 'Kennung',
  proof: 'Beweis herunterladen',
  check: 'Beweis prüfen',
  committed: 'Sie haben sich festgelegt.',
  committedText:
    'Bewahren Sie diese Datei und den Inhalt auf: Ohne beide kann niemand zeigen, worauf Sie sich festgelegt haben.',
  keepOpening: 'Festlegung und Salt herunterladen',
  found: 'Kopien',
  noneFound: 'Nichts Ähnliches ist registriert.',
  likeText: (percent) => `${percent} % Ihres Textes stehen dort`,
  likeImage: (distance) => `In ${distance} von 256 Bits verschieden`,
  isMine: 'Ihres',
  mine: 'In diesem Browser registriert',
  mineLead:
    'Die Dienste geben keine Liste aus, was jemand registriert hat. Dieser Browser merkt sich, was Sie mit ihm registrieren.',
  noneMine: 'Noch nichts.',
  typed: 'Eingegebener Text',
  remove: 'Löschen',
  removeTitle: 'Die Registrierung löschen?',
  removeText:
    'Suchen finden Ihre Registrierung dann nicht mehr. Sie können den Inhalt später wieder registrieren, mit neuem Datum.',
  removed: 'Die Registrierung wurde gelöscht.',
}
