import type { SheetWords } from './en.ts'

export const words: SheetWords = {
  firstTitle: 'Ihre Wiederherstellungswörter aufschreiben',
  firstLead:
    'Geht der Hauptschlüssel verloren oder wird er gestohlen, bringen diese 24 Wörter Ihre Identität zurück, so oft Sie sie brauchen. Es gibt sie nur auf dieser Seite: Drucken Sie sie oder schreiben Sie sie auf, und verwahren Sie das Papier nicht bei Ihren Geräten.',
  secondTitle: 'Das zweite Blatt aufschreiben',
  secondLead: 'Verwahren Sie es an einem anderen Ort als das erste. Jedes Blatt wirkt für sich allein.',
  sheet: (number) => `Blatt ${number}`,
  code: 'Die Wörter als QR-Code',
  written: 'Ich habe sie aufgeschrieben',
  print: 'Drucken',
  checkTitle: 'Prüfen, was Sie aufgeschrieben haben',
  checkLead: 'Geben Sie zwei der Wörter vom Papier ein.',
  word: (position) => `Wort ${position}`,
  check: 'Prüfen',
  wrongWord: (position) =>
    `Wort ${position} lautet anders. Sehen Sie auf dem Papier nach, oder zeigen Sie die Wörter noch einmal.`,
  showAgain: 'Wörter noch einmal zeigen',
  skip: 'Ohne Prüfung weiter',
  skipHint: 'Ihre Identität zeigt dieses Blatt dann als nicht geprüft.',
  anotherTitle: 'Ein zweites Blatt?',
  anotherLead:
    'Ein zweites Blatt mit anderen Wörtern, für einen anderen Ort, ersetzt das erste, wenn es verloren geht oder jemand es gesehen hat.',
  another: 'Ein zweites Blatt anlegen',
  oneIsEnough: 'Ein Blatt genügt',
  fileTitle: 'Die Wiederherstellungsdatei verwahren',
  fileLead:
    'Mit dieser Datei bringen Ihre Wörter die Identität in einem Tag zurück. Ohne sie brauchen sie 30 Tage, und wer den Hauptschlüssel hat, kann sie aufhalten. Die Datei enthält kein Geheimnis: Verwahren Sie eine Kopie außerhalb dieses Browsers. Wird der Hauptschlüssel ersetzt, ist sie veraltet, und Sie bekommen eine neue.',
  download: 'Wiederherstellungsdatei herunterladen',
  fileDone: 'Weiter',
  title: 'Wiederherstellung',
  meanings: {
    words_and_file: 'Ihre Wörter und die Wiederherstellungsdatei bringen diese Identität in einem Tag zurück.',
    words:
      'Ihre Wörter allein bringen diese Identität in 30 Tagen zurück, und nur solange niemand sonst den Hauptschlüssel hat. Laden Sie die Wiederherstellungsdatei herunter.',
    root_and_device:
      'Es wurden keine Wörter geprüft. Sind sie verloren, ersetzen Hauptschlüssel und Gerät sie zusammen, in 30 Tagen.',
    never:
      'Es wurden keine Wörter geprüft. Sind sie verloren, kann der Hauptschlüssel dieser Identität nie ersetzt werden.',
  },
  uncommitted:
    'Diese Identität hat keine Wiederherstellungswörter. Wer den Hauptschlüssel stiehlt, kann sie in einem Tag übernehmen.',
  notYet:
    'Ihre Wörter ersetzen den Hauptschlüssel zusammen mit der Wiederherstellungsdatei, sobald ein Gerät oder der Betreiber das bestätigt. Danach brauchen sie niemanden mehr.',
  unknown:
    'Die Wiederherstellungswörter dieser Identität wurden auf einem anderen Gerät angelegt. Dort steht, was sie bewirken.',
  sheetChecked: (number, when) => `Blatt ${number}: geprüft am ${when}`,
  sheetUnchecked: (number) => `Blatt ${number}: nicht geprüft`,
  sheetVoid: (number) => `Blatt ${number}: ersetzt. Es bewirkt nichts mehr.`,
  checkSheet: 'Ein Blatt prüfen',
  typeAll: 'Die 24 Wörter des Blatts',
  typeAllHint: 'Sie bleiben in diesem Browser und werden nicht aufbewahrt.',
  compare: 'Vergleichen',
  checked: (number) => `Das sind die Wörter von Blatt ${number}.`,
  otherSheet: 'Diese Wörter gehören zu keinem Ihrer Blätter.',
  cancel: 'Abbrechen',
  wrongCount: 'Ein Blatt hat 24 Wörter.',
  unknownWord: (position) => `Wort ${position} steht nicht auf der Liste.`,
  wrongWords: 'Ein Wort ist falsch, oder zwei Wörter sind vertauscht.',
  otherTitle: 'Ihr anderes Blatt',
  otherLead:
    'Diese Identität hat ein weiteres Blatt. Geben Sie auch dessen Wörter ein, damit nach der nächsten Wiederherstellung beide wirken. Ohne sie wirkt nur das Blatt, das Sie benutzt haben.',
  otherAdd: 'Auch dieses Blatt verwenden',
  otherNone: 'Ohne es weiter',
}
